# Training of the ranker.
RANKER ?= src/lightmem/data/rankers/generated

.PHONY: train

train: setup ## the ranker's weights from generated conversations, in half an hour or more: make train [RANKER=FOLDER]
	PYTHONPATH=training $(BIN)/python -m lightmem_training --out $(RANKER)
