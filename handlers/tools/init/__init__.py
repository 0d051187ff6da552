"""`tailback init`: asks what an installation needs and writes its two files."""
