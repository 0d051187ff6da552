"""The HTTP interfaces of the simulated fleet: Prometheus, Alertmanager and a scaler."""
