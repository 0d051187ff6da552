"""What is judged of the machines below the runners."""
