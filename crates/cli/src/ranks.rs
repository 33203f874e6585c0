//! The processes that `mpirun` or `srun` has started together.

use std::sync::Arc;

use molien_solve::{Alone, Exchange};

/// This process among them; usually it is alone.
pub struct Ranks {
    exchange: Arc<dyn Exchange>,
    #[cfg(feature = "mpi")]
    mpi: Option<Arc<molien_mpi::MpiRanks>>,
}

impl Ranks {
    /// Joins the others, if a launcher has started this process.
    #[cfg(feature = "mpi")]
    pub fn join() -> anyhow::Result<Ranks> {
        if !mpi::is_launched() {
            return Ok(Ranks { exchange: Arc::new(Alone), mpi: None });
        }
        let ranks = Arc::new(molien_mpi::MpiRanks::start()?);
        if ranks.size() > 1 {
            mpi::end_with_a_panic();
        }
        Ok(Ranks { exchange: ranks.clone(), mpi: Some(ranks) })
    }

    /// This build knows of no launcher.
    #[cfg(not(feature = "mpi"))]
    pub fn join() -> anyhow::Result<Ranks> {
        Ok(Ranks { exchange: Arc::new(Alone) })
    }

    /// How they talk to each other.
    pub fn exchange(&self) -> Arc<dyn Exchange> {
        self.exchange.clone()
    }

    /// The number of this one, if there are others.
    pub fn number(&self) -> Option<usize> {
        (self.exchange.size() > 1).then(|| self.exchange.rank())
    }

    /// Takes leave when all is done. Whoever ends without that ends the others, too.
    pub fn finish(&self) {
        #[cfg(feature = "mpi")]
        if let Some(mpi) = &self.mpi {
            mpi.finish();
        }
    }
}

#[cfg(feature = "mpi")]
mod mpi {
    /// What launchers tell the processes they start: Open MPI's, those that speak PMIx
    /// (`srun --mpi=pmix`), and those that speak PMI (MPICH's).
    const VARIABLES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"];
    /// The exit code of a process that panicked.
    const PANICKED: i32 = 101;

    pub fn is_launched() -> bool {
        VARIABLES.iter().any(|name| std::env::var_os(name).is_some())
    }

    /// A rank that panics ends, and with it the others, which would wait for it for
    /// ever.
    pub fn end_with_a_panic() {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            usual(panic);
            std::process::exit(PANICKED);
        }));
    }
}
