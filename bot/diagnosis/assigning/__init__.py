"""Jobs that nobody gives to runners: a label without runners, hosted runners, a provider or agents that stand still."""
