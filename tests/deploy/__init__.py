"""Tests of the image, the chart, the unit and the proxies."""
