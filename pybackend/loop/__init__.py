"""What a run leaves behind: ledger and run folder."""
