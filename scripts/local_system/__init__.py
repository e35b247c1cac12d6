"""The servers and the services as processes of this machine. Standard library only."""
