"""From a Report to what stands on a pull request, and nothing twice: what is there is read before anything is written."""
