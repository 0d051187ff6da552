"""The methods of Slack's Web API, as the local workspace answers them."""
