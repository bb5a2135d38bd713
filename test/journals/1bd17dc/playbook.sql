-- do/holdfast-SessionObject/4d0e091511cb033acf211c93f3a613f16b829a04ac0dc4f8cc85573c88670514.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","playbook","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781489, 'session-opened', '', 83, '{"v":1,"type":"session-opened","incarnation":"f913d78d35f24701","agent":"playbook"}');
INSERT INTO "events" VALUES (2, 0, 1795369781489, 'turn-started', '43da7216063c4fe9', 137, '{"v":1,"type":"turn-started","turn":"43da7216063c4fe9","loopId":"43da7216063c4fe9","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 568621874203, 1795369781862, 'model-replied', '43da7216063c4fe9', 270, '{"v":1,"type":"model-replied","turn":"43da7216063c4fe9","model":"scripted","text":"","toolCalls":[{"id":"43da7216063c4fe9.3.0","providerId":"call_0_0","name":"research","input":"{\"topic\":\"kelp\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 568621874203, 1795369781862, 'frame-started', '43da7216063c4fe9', 138, '{"v":1,"type":"frame-started","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.3.0","name":"research","message":"{\"topic\":\"kelp\"}"}');
INSERT INTO "events" VALUES (5, 568621874203, 1795369781958, 'model-replied', '43da7216063c4fe9', 281, '{"v":1,"type":"model-replied","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.3.0","model":"scripted","text":"","toolCalls":[{"id":"43da7216063c4fe9.5.0","providerId":"call_0_0","name":"search","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (6, 568621874203, 1795369781958, 'tool-call-started', '43da7216063c4fe9', 137, '{"v":1,"type":"tool-call-started","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.3.0","call":"43da7216063c4fe9.5.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 568621874203, 1795369781958, 'tool-call-ended', '43da7216063c4fe9', 411, '{"v":1,"type":"tool-call-ended","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.3.0","call":"43da7216063c4fe9.5.0","result":{"type":"artifact","value":{"id":"f1"},"artifactType":"Finding"},"ms":0,"changes":{"blackboard":[{"name":"finding","type":"Finding","value":{"id":"f1"}}],"facts":[{"slice":"playbooks","fact":{"type":"used","key":"kelp","tools":["search"],"artifacts":{"type":"Finding","count":1}}}]}}');
INSERT INTO "events" VALUES (8, 568621874203, 1795369782042, 'model-replied', '43da7216063c4fe9', 366, '{"v":1,"type":"model-replied","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.3.0","model":"scripted","text":"","toolCalls":[{"id":"43da7216063c4fe9.8.0","providerId":"call_1_0","name":"analyze","input":"{}"},{"id":"43da7216063c4fe9.8.1","providerId":"call_1_1","name":"archive","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 568621874203, 1795369782042, 'tool-call-started', '43da7216063c4fe9', 143, '{"v":1,"type":"tool-call-started","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.3.0","call":"43da7216063c4fe9.8.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 568621874203, 1795369782118, 'tool-call-ended', '43da7216063c4fe9', 280, '{"v":1,"type":"tool-call-ended","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.3.0","call":"43da7216063c4fe9.8.0","result":{"type":"text","content":"analyze is done"},"ms":67,"changes":{"facts":[{"slice":"playbooks","fact":{"type":"used","key":"kelp","tools":["analyze"]}}]}}');
INSERT INTO "events" VALUES (11, 568621874203, 1795369782118, 'tool-call-started', '43da7216063c4fe9', 137, '{"v":1,"type":"tool-call-started","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.3.0","call":"43da7216063c4fe9.8.1","effect":"once"}');
INSERT INTO "events" VALUES (12, 568621874203, 1795369782237, 'tool-call-ended', '43da7216063c4fe9', 280, '{"v":1,"type":"tool-call-ended","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.3.0","call":"43da7216063c4fe9.8.1","result":{"type":"text","content":"archive is done"},"ms":83,"changes":{"facts":[{"slice":"playbooks","fact":{"type":"used","key":"kelp","tools":["archive"]}}]}}');
INSERT INTO "events" VALUES (13, 568621874203, 1795369782277, 'model-replied', '43da7216063c4fe9', 282, '{"v":1,"type":"model-replied","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.3.0","model":"scripted","text":"","toolCalls":[{"id":"43da7216063c4fe9.13.0","providerId":"call_2_0","name":"report","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (14, 568621874203, 1795369782277, 'tool-call-started', '43da7216063c4fe9', 138, '{"v":1,"type":"tool-call-started","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.3.0","call":"43da7216063c4fe9.13.0","effect":"once"}');
INSERT INTO "events" VALUES (15, 568621874203, 1795369782341, 'tool-call-ended', '43da7216063c4fe9', 279, '{"v":1,"type":"tool-call-ended","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.3.0","call":"43da7216063c4fe9.13.0","result":{"type":"text","content":"report is done"},"ms":45,"changes":{"facts":[{"slice":"playbooks","fact":{"type":"used","key":"kelp","tools":["report"]}}]}}');
INSERT INTO "events" VALUES (16, 568621874203, 1795369782383, 'model-replied', '43da7216063c4fe9', 198, '{"v":1,"type":"model-replied","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.3.0","model":"scripted","text":"Kelp.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (17, 568621874203, 1795369782383, 'tool-call-ended', '43da7216063c4fe9', 180, '{"v":1,"type":"tool-call-ended","turn":"43da7216063c4fe9","call":"43da7216063c4fe9.3.0","result":{"type":"artifact","value":{"id":"f1"},"content":"Kelp.","artifactType":"Finding"}}');
INSERT INTO "events" VALUES (18, 568621874203, 1795369782418, 'model-replied', '43da7216063c4fe9', 272, '{"v":1,"type":"model-replied","turn":"43da7216063c4fe9","model":"scripted","text":"","toolCalls":[{"id":"43da7216063c4fe9.18.0","providerId":"call_1_0","name":"research","input":"{\"topic\":\"tides\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (19, 568621874203, 1795369782418, 'frame-started', '43da7216063c4fe9', 140, '{"v":1,"type":"frame-started","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.18.0","name":"research","message":"{\"topic\":\"tides\"}"}');
INSERT INTO "events" VALUES (20, 568621874203, 1795369782450, 'model-replied', '43da7216063c4fe9', 284, '{"v":1,"type":"model-replied","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.18.0","model":"scripted","text":"","toolCalls":[{"id":"43da7216063c4fe9.20.0","providerId":"call_0_0","name":"analyze","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (21, 568621874203, 1795369782450, 'tool-call-ended', '43da7216063c4fe9', 233, '{"v":1,"type":"tool-call-ended","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.18.0","call":"43da7216063c4fe9.20.0","result":{"type":"text","content":"This tool is not yet available. You must first use: search","withheld":true}}');
INSERT INTO "events" VALUES (22, 568621874203, 1795369782472, 'model-replied', '43da7216063c4fe9', 283, '{"v":1,"type":"model-replied","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.18.0","model":"scripted","text":"","toolCalls":[{"id":"43da7216063c4fe9.22.0","providerId":"call_1_0","name":"search","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (23, 568621874203, 1795369782472, 'tool-call-started', '43da7216063c4fe9', 139, '{"v":1,"type":"tool-call-started","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.18.0","call":"43da7216063c4fe9.22.0","effect":"read"}');
INSERT INTO "events" VALUES (24, 568621874203, 1795369782472, 'tool-call-ended', '43da7216063c4fe9', 414, '{"v":1,"type":"tool-call-ended","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.18.0","call":"43da7216063c4fe9.22.0","result":{"type":"artifact","value":{"id":"f1"},"artifactType":"Finding"},"ms":0,"changes":{"blackboard":[{"name":"finding","type":"Finding","value":{"id":"f1"}}],"facts":[{"slice":"playbooks","fact":{"type":"used","key":"tides","tools":["search"],"artifacts":{"type":"Finding","count":1}}}]}}');
INSERT INTO "events" VALUES (25, 568621874203, 1795369782491, 'model-replied', '43da7216063c4fe9', 200, '{"v":1,"type":"model-replied","turn":"43da7216063c4fe9","frame":"43da7216063c4fe9.18.0","model":"scripted","text":"Tides.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (26, 568621874203, 1795369782491, 'tool-call-ended', '43da7216063c4fe9', 182, '{"v":1,"type":"tool-call-ended","turn":"43da7216063c4fe9","call":"43da7216063c4fe9.18.0","result":{"type":"artifact","value":{"id":"f1"},"content":"Tides.","artifactType":"Finding"}}');
INSERT INTO "events" VALUES (27, 568621874203, 1795369782501, 'model-replied', '43da7216063c4fe9', 173, '{"v":1,"type":"model-replied","turn":"43da7216063c4fe9","model":"scripted","text":"Researched.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (28, 568621874203, 1795369782501, 'turn-ended', '43da7216063c4fe9', 75, '{"v":1,"type":"turn-ended","turn":"43da7216063c4fe9","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 568621874203, '083403ad51cd41ca', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
