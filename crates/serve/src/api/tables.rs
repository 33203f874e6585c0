//! What is stored.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use molien_table::{Directory, ListedTable, TableError};
use serde_json::{Value as Json, json};

use crate::Service;
use crate::reply::{Lasting, json as reply};

fn table(entry: &ListedTable) -> Json {
    let mut found = json!({
        "material": entry.material.to_string(),
        "file": entry.path.file_name().unwrap_or_default().to_string_lossy(),
        "bytes": entry.len_bytes,
        "verified": entry.verified,
    });
    match &entry.metrics {
        Ok(metrics) => {
            found["metrics"] = metrics.iter().map(|metric| metric.name()).collect();
        }
        Err(error) => found["error"] = json!(error.to_string()),
    }
    found
}

fn listed(folder: Option<&Directory>) -> Result<Vec<Json>, TableError> {
    let entries = folder.map(Directory::list).transpose()?.unwrap_or_default();
    Ok(entries.iter().map(table).collect())
}

/// The stored tables.
#[utoipa::path(get, path = "/api/v1/tables", responses(
    (status = 200, description = "Every table with its metrics and size"),
))]
pub(super) async fn get(State(service): State<Service>, headers: HeaderMap) -> Response {
    let folder = service.folder().cloned();
    let answer = async {
        let tables = service.read(move |_| listed(folder.as_ref())).await?;
        let tables = tables.map_err(|error| crate::Problem::Internal(error.to_string()))?;
        Ok(reply(&headers, &json!({ "tables": tables }), Lasting::Changes))
    };
    super::answered(answer.await)
}
