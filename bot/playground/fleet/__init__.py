"""A simulated fleet of CI runner pools: its jobs, metrics, alerts, silences and scaler, for the demo and the tests."""
