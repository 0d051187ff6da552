"""The words for ids and values: causes, reasons, forecasts, figures."""
