"""The developer's question: when does my job start, and tell me when it does."""
