"""The App: receives webhooks, queues the work, does it."""
