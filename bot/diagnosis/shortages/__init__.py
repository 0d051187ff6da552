"""What machines or services lack: a signal says so."""
