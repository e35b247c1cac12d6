# The real servers, the distributed system as processes of this machine, and the images.
.PHONY: servers servers-stop stack stack-stop images

servers: ## PostgreSQL, Redis, Neo4j and Ollama for the tests
	@scripts/servers start

servers-stop: ## end them and remove their data
	@scripts/servers stop

stack: setup ## the whole system as local processes with the real servers
	@scripts/stack start

stack-stop: ## end it; its data stays for the next start
	@scripts/stack stop

images: setup ## build every image with buildah and try it
	@scripts/images
