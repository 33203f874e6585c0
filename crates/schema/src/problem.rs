//! What went wrong.

use serde::Serialize;

use crate::VERSION;

/// An error, in place of an answer.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorJson {
    /// The version of the fields.
    pub schema: u32,
    /// What was asked, where several things were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// One sentence.
    pub error: String,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl ErrorJson {
    /// An error about some input, or about all of it.
    pub fn new(input: Option<&str>, error: impl ToString) -> ErrorJson {
        let input = input.map(str::to_owned);
        ErrorJson { schema: VERSION, input, error: error.to_string(), hint: None }
    }

    /// With what can be done about it.
    #[must_use]
    pub fn with_hint(mut self, hint: Option<String>) -> ErrorJson {
        self.hint = hint;
        self
    }
}
