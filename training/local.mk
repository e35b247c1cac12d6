# Training of the ranker.
FOLDS ?= .lightmem/training/folds
RANKER ?= src/lightmem/data/rankers/generated

.PHONY: train cross-validate

train: setup ## the ranker's weights from generated conversations, in half an hour or more: make train [RANKER=FOLDER]
	PYTHONPATH=training $(BIN)/python -m lightmem_training --out $(RANKER)

cross-validate: setup ## an experiment: what conversations of a file would teach: make cross-validate [DATA=FILE] [FOLDS=FOLDER]
	PYTHONPATH=training $(BIN)/python -m lightmem_training --cross-validate $(DATA) --out $(FOLDS)
