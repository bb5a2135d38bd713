-- do/holdfast-SessionObject/de3ca2897c73eb70673bb8d470229a415907291c1e9937f01660ed4ea49d0166.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    turn TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    body TEXT
  );
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    turn TEXT,
    state TEXT NOT NULL,
    cause TEXT NOT NULL,
    expired INTEGER NOT NULL,
    expiredFor INTEGER NOT NULL,
    grace INTEGER
  );
CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    body_hash TEXT NOT NULL,
    turn TEXT NOT NULL,
    seq INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) WITHOUT ROWID;
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY (kind, ref)
  ) WITHOUT ROWID;
CREATE TABLE chunks (
    owner TEXT NOT NULL,
    seq INTEGER NOT NULL,
    part INTEGER NOT NULL,
    reducer INTEGER,
    body BLOB NOT NULL, messages_from INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (owner, seq, part)
  );
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "schema" VALUES (2, '["ada","state-machine","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781490, 'session-opened', '', 88, '{"v":1,"type":"session-opened","incarnation":"a102be97e81445a9","agent":"state-machine"}');
INSERT INTO "events" VALUES (2, 0, 1795369781490, 'turn-started', 'f762f2ed2ac147ae', 137, '{"v":1,"type":"turn-started","turn":"f762f2ed2ac147ae","loopId":"f762f2ed2ac147ae","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 916733630197, 1795369781862, 'model-replied', 'f762f2ed2ac147ae', 259, '{"v":1,"type":"model-replied","turn":"f762f2ed2ac147ae","model":"scripted","text":"","toolCalls":[{"id":"f762f2ed2ac147ae.3.0","providerId":"call_0_0","name":"orders","input":"{\"id\":41}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 916733630197, 1795369781862, 'frame-started', 'f762f2ed2ac147ae', 213, '{"v":1,"type":"frame-started","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.3.0","name":"orders","message":"{\"id\":41}","facts":[{"slice":"state-machines","fact":{"key":"41","state":"draft","start":true}}]}');
INSERT INTO "events" VALUES (5, 916733630197, 1795369781937, 'model-replied', 'f762f2ed2ac147ae', 359, '{"v":1,"type":"model-replied","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.3.0","model":"scripted","text":"","toolCalls":[{"id":"f762f2ed2ac147ae.5.0","providerId":"call_0_0","name":"add","input":"{}"},{"id":"f762f2ed2ac147ae.5.1","providerId":"call_0_1","name":"ship","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (6, 916733630197, 1795369781937, 'tool-call-started', 'f762f2ed2ac147ae', 143, '{"v":1,"type":"tool-call-started","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.3.0","call":"f762f2ed2ac147ae.5.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (7, 916733630197, 1795369782065, 'tool-call-ended', 'f762f2ed2ac147ae', 176, '{"v":1,"type":"tool-call-ended","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.3.0","call":"f762f2ed2ac147ae.5.0","result":{"type":"text","content":"add is done"},"ms":94}');
INSERT INTO "events" VALUES (8, 916733630197, 1795369782065, 'tool-call-ended', 'f762f2ed2ac147ae', 270, '{"v":1,"type":"tool-call-ended","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.3.0","call":"f762f2ed2ac147ae.5.1","result":{"type":"text","content":"This tool is not available in the current state (draft). It is only available in state: confirmed","withheld":true}}');
INSERT INTO "events" VALUES (9, 916733630197, 1795369782118, 'model-replied', 'f762f2ed2ac147ae', 282, '{"v":1,"type":"model-replied","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.3.0","model":"scripted","text":"","toolCalls":[{"id":"f762f2ed2ac147ae.9.0","providerId":"call_1_0","name":"confirm","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 916733630197, 1795369782118, 'tool-call-started', 'f762f2ed2ac147ae', 137, '{"v":1,"type":"tool-call-started","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.3.0","call":"f762f2ed2ac147ae.9.0","effect":"once"}');
INSERT INTO "events" VALUES (11, 916733630197, 1795369782237, 'tool-call-ended', 'f762f2ed2ac147ae', 269, '{"v":1,"type":"tool-call-ended","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.3.0","call":"f762f2ed2ac147ae.9.0","result":{"type":"text","content":"confirm is done"},"ms":83,"changes":{"facts":[{"slice":"state-machines","fact":{"key":"41","state":"confirmed"}}]}}');
INSERT INTO "events" VALUES (12, 916733630197, 1795369782287, 'model-replied', 'f762f2ed2ac147ae', 282, '{"v":1,"type":"model-replied","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.3.0","model":"scripted","text":"","toolCalls":[{"id":"f762f2ed2ac147ae.12.0","providerId":"call_2_0","name":"status","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 916733630197, 1795369782287, 'tool-call-started', 'f762f2ed2ac147ae', 138, '{"v":1,"type":"tool-call-started","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.3.0","call":"f762f2ed2ac147ae.12.0","effect":"read"}');
INSERT INTO "events" VALUES (14, 916733630197, 1795369782341, 'tool-call-ended', 'f762f2ed2ac147ae', 180, '{"v":1,"type":"tool-call-ended","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.3.0","call":"f762f2ed2ac147ae.12.0","result":{"type":"text","content":"status is done"},"ms":50}');
INSERT INTO "events" VALUES (15, 916733630197, 1795369782383, 'model-replied', 'f762f2ed2ac147ae', 206, '{"v":1,"type":"model-replied","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.3.0","model":"scripted","text":"Confirmed 41.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (16, 916733630197, 1795369782383, 'tool-call-ended', 'f762f2ed2ac147ae', 139, '{"v":1,"type":"tool-call-ended","turn":"f762f2ed2ac147ae","call":"f762f2ed2ac147ae.3.0","result":{"type":"text","content":"Confirmed 41."}}');
INSERT INTO "events" VALUES (17, 916733630197, 1795369782418, 'model-replied', 'f762f2ed2ac147ae', 260, '{"v":1,"type":"model-replied","turn":"f762f2ed2ac147ae","model":"scripted","text":"","toolCalls":[{"id":"f762f2ed2ac147ae.17.0","providerId":"call_1_0","name":"orders","input":"{\"id\":42}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (18, 916733630197, 1795369782418, 'frame-started', 'f762f2ed2ac147ae', 214, '{"v":1,"type":"frame-started","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.17.0","name":"orders","message":"{\"id\":42}","facts":[{"slice":"state-machines","fact":{"key":"42","state":"draft","start":true}}]}');
INSERT INTO "events" VALUES (19, 916733630197, 1795369782441, 'model-replied', 'f762f2ed2ac147ae', 280, '{"v":1,"type":"model-replied","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.17.0","model":"scripted","text":"","toolCalls":[{"id":"f762f2ed2ac147ae.19.0","providerId":"call_0_0","name":"add","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (20, 916733630197, 1795369782441, 'tool-call-started', 'f762f2ed2ac147ae', 145, '{"v":1,"type":"tool-call-started","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.17.0","call":"f762f2ed2ac147ae.19.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (21, 916733630197, 1795369782472, 'tool-call-ended', 'f762f2ed2ac147ae', 178, '{"v":1,"type":"tool-call-ended","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.17.0","call":"f762f2ed2ac147ae.19.0","result":{"type":"text","content":"add is done"},"ms":24}');
INSERT INTO "events" VALUES (22, 916733630197, 1795369782495, 'model-replied', 'f762f2ed2ac147ae', 205, '{"v":1,"type":"model-replied","turn":"f762f2ed2ac147ae","frame":"f762f2ed2ac147ae.17.0","model":"scripted","text":"Drafted 42.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (23, 916733630197, 1795369782495, 'tool-call-ended', 'f762f2ed2ac147ae', 138, '{"v":1,"type":"tool-call-ended","turn":"f762f2ed2ac147ae","call":"f762f2ed2ac147ae.17.0","result":{"type":"text","content":"Drafted 42."}}');
INSERT INTO "events" VALUES (24, 916733630197, 1795369782505, 'model-replied', 'f762f2ed2ac147ae', 170, '{"v":1,"type":"model-replied","turn":"f762f2ed2ac147ae","model":"scripted","text":"Ordered.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (25, 916733630197, 1795369782505, 'turn-ended', 'f762f2ed2ac147ae', 75, '{"v":1,"type":"turn-ended","turn":"f762f2ed2ac147ae","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 916733630197, 'e31259e1d3374536', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
