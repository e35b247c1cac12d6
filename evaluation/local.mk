# Measures. evaluation/README.md says what each one tells.
.PHONY: eval eval-extraction eval-rivals eval-ablations eval-growth eval-deep eval-plots eval-languages eval-updates eval-closings eval-memories bench bench-all bench-bulk bench-forget

DATA ?= ../shared/data/locomo/locomo_dev5.json
OUT ?= evaluation/results/locomo_dev5.json
SIZES ?= 0 100 1000 10000
MEASURE := PYTHONPATH=training:evaluation $(BIN)/python -m lightmem_evaluation
GENERATE := PYTHONPATH=training:evaluation $(BIN)/python -m lightmem_training.generator
MADE := .lightmem/evaluation
RIVALS := $(MADE)/rivals-venv
GENERATOR := $(shell find training/lightmem_training/generator -type f -not -name '*.pyc')

eval: setup ## evidence recall on conversations: make eval [DATA=FILE] [OUT=FILE]
	$(MEASURE).run --data $(DATA) --out $(OUT) --cross-validate

eval-rivals: setup $(RIVALS)/.ready ## the same beside memory systems of others
	$(MEASURE).run --data $(DATA) --out evaluation/results/rivals.json --rival mem0 --rivals-python $(RIVALS)/bin/python

eval-ablations: setup $(MADE)/noise.json ## what each part of a recall is worth
	$(MEASURE).ablations --data $(DATA) --noise $(MADE)/noise.json --out evaluation/results/ablations.json

eval-deep: setup $(MADE)/noise.json ## is deep below fast: with a lying model, and with one: [MODEL_URL=ollama://HOST:PORT]
	$(MEASURE).deep --data $(DATA) --noise $(MADE)/noise.json --out evaluation/results/deep.json $(if $(MODEL_URL),--model-url $(MODEL_URL))

eval-plots: setup ## result files as SVG
	$(MEASURE).plots evaluation/results/locomo_dev5.json evaluation/results/ablations.json evaluation/results/growth.json

eval-growth: setup $(MADE)/noise.json ## quality and time as one user's memory grows: [SIZES="0 100 1000 10000"]
	$(MEASURE).growth --data $(DATA) --noise $(MADE)/noise.json --sizes $(SIZES) --out evaluation/results/growth.json

eval-languages: setup $(MADE)/es.json $(MADE)/zh.json ## generated conversations in Spanish and Chinese
	for language in es zh; do
	  $(MEASURE).run --data $(MADE)/$$language.json --out evaluation/results/generated_$$language.json
	done

eval-updates: setup ## what holds now and what held once, in three languages: make eval-updates [OUT=FILE]
	$(MEASURE).updates --out $(if $(filter file,$(origin OUT)),evaluation/results/updates.json,$(OUT))

eval-closings: setup ## which memories the Writer closes in real talk, printed to be read: make eval-closings [DATA=FILE]
	$(MEASURE).closings --data $(DATA) --out evaluation/results/closings.json

eval-extraction: setup ## what the Writer draws from talk, what it refuses and costs: make eval-extraction [DATA=FILE]
	$(MEASURE).extraction --data $(DATA) --out evaluation/results/extraction.json

eval-memories: setup ## memories and turns beside turns alone, as applications ask: make eval-memories [DATA=FILE]
	$(MEASURE).memories --data $(DATA) --out evaluation/results/memories.json

bench: setup ## latency of recall and write beside a bare search, in one process
	$(MEASURE).bench --out evaluation/results/latency.json

bench-all: setup ## the same, and as services with the real servers, and with 1,000 users
	PYTHONPATH=scripts:training:evaluation $(BIN)/python -m lightmem_evaluation.bench --mode embedded --mode distributed --users 1000 --out evaluation/results/latency.json

bench-forget: setup ## what forgetting costs a user with 10,000 turns, and what it costs every write
	$(MEASURE).forgetting --out evaluation/results/forgetting.json

bench-bulk: setup ## turns a second accepted and indexed in bulk, beside the encoder alone
	$(MEASURE).bulk --out evaluation/results/bulk.json

$(MADE)/noise.json: $(GENERATOR) | setup
	@mkdir -p $(MADE)
	$(GENERATE) --samples $(or $(NOISE_SAMPLES),40) --seed 20240508 --language en --out $@

$(MADE)/%.json: $(GENERATOR) | setup
	@mkdir -p $(MADE)
	$(GENERATE) --samples 4 --seed 20240508 --language $* --split valid --out $@

$(RIVALS)/.ready: evaluation/requirements-rivals.txt
	$(PYTHON) -m venv $(RIVALS)
	$(RIVALS)/bin/pip install --quiet -r $<
	@touch $@

.PHONY: faults eval-segments

eval-segments: setup $(MADE)/en.json $(MADE)/es.json $(MADE)/zh.json ## how well changes of topic are found: make eval-segments [DATA=FILE]
	$(MEASURE).segments --data $(DATA) $(MADE)/en.json $(MADE)/es.json $(MADE)/zh.json --out evaluation/results/segments.json

faults: setup ## a thousand writes while every part is killed in turn: make faults [MODE=distributed] [OUT=FILE]
	PYTHONPATH=scripts:training:evaluation:tests $(BIN)/python -m lightmem_evaluation.faults --mode $(or $(MODE),embedded) --out $(if $(filter file,$(origin OUT)),evaluation/results/faults_$(or $(MODE),embedded).json,$(OUT))

.PHONY: leaks

leaks: setup ## does anybody's life show through what users share?: make leaks [MODE=distributed] [OUT=FILE]
	PYTHONPATH=scripts:training:evaluation:tests $(BIN)/python -m lightmem_evaluation.leaks --mode $(or $(MODE),embedded) --out $(if $(filter file,$(origin OUT)),evaluation/results/leaks_$(or $(MODE),embedded).json,$(OUT))

.PHONY: eval-shared

eval-shared: setup ## does what users share disturb personal questions, and what does it cost: make eval-shared [DATA=FILE]
	$(MEASURE).shared_memory --data $(DATA) --out evaluation/results/shared_memory.json

.PHONY: eval-dreams

# PARTS="quality updates" measures those alone and leaves the rest of the file as it is.
eval-dreams: setup $(MADE)/noise.json ## do dreams help, harm, and what do they cost: make eval-dreams [DATA=FILE] [OUT=FILE] [MODEL_URL=URL] [PARTS="quality cost"] [SIZES="300 1000"]
	$(MEASURE).dreams --data $(DATA) --noise $(MADE)/noise.json --out $(if $(filter file,$(origin OUT)),evaluation/results/dreams.json,$(OUT)) $(foreach part,$(PARTS),--part $(part)) $(if $(MODEL_URL),--model-url $(MODEL_URL)) $(if $(filter file,$(origin SIZES)),,--sizes $(SIZES))
