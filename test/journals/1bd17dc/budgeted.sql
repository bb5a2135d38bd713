-- do/holdfast-SessionObject/7fd01e12cb614ca5f6dbc526920fa38fe974ec504b00fa4ed4d0b9db853fb347.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","budgeted","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781510, 'session-opened', '', 83, '{"v":1,"type":"session-opened","incarnation":"b41c8d58ba6a49c8","agent":"budgeted"}');
INSERT INTO "events" VALUES (2, 0, 1795369781510, 'turn-started', '02e83f8612dc4feb', 137, '{"v":1,"type":"turn-started","turn":"02e83f8612dc4feb","loopId":"02e83f8612dc4feb","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 533260629128, 1795369781635, 'model-asked', '02e83f8612dc4feb', 241, '{"v":1,"type":"model-asked","turn":"02e83f8612dc4feb","reserved":{"inputTokens":1398,"outputTokens":4096,"cost":0.042358},"request":{"model":"scripted","system":"19v8e0a1tgnvse","tools":"3d9out0c6f7fj/","messages":1,"text":"1rrgd431f49p53"}}');
INSERT INTO "events" VALUES (4, 533260629128, 1795369781909, 'model-replied', '02e83f8612dc4feb', 265, '{"v":1,"type":"model-replied","turn":"02e83f8612dc4feb","model":"scripted","text":"","toolCalls":[{"id":"02e83f8612dc4feb.4.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}');
INSERT INTO "events" VALUES (5, 533260629128, 1795369781909, 'tool-call-started', '02e83f8612dc4feb', 106, '{"v":1,"type":"tool-call-started","turn":"02e83f8612dc4feb","call":"02e83f8612dc4feb.4.0","effect":"read"}');
INSERT INTO "events" VALUES (6, 533260629128, 1795369782012, 'tool-call-ended', '02e83f8612dc4feb', 150, '{"v":1,"type":"tool-call-ended","turn":"02e83f8612dc4feb","call":"02e83f8612dc4feb.4.0","result":{"type":"text","content":"look_up is done"},"ms":111}');
INSERT INTO "events" VALUES (7, 533260629128, 1795369782012, 'model-asked', '02e83f8612dc4feb', 239, '{"v":1,"type":"model-asked","turn":"02e83f8612dc4feb","reserved":{"inputTokens":297,"outputTokens":4096,"cost":0.041257},"request":{"model":"scripted","system":"19v8e0a1tgnvse","tools":"3d9out0c6f7fj/","messages":3,"text":"x3ohn705l0kjq"}}');
INSERT INTO "events" VALUES (8, 533260629128, 1795369782090, 'model-replied', '02e83f8612dc4feb', 278, '{"v":1,"type":"model-replied","turn":"02e83f8612dc4feb","model":"scripted","text":"","toolCalls":[{"id":"02e83f8612dc4feb.8.0","providerId":"call_1_0","name":"work","input":"{\"task\":\"buy\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}');
INSERT INTO "events" VALUES (9, 533260629128, 1795369782090, 'frame-started', '02e83f8612dc4feb', 132, '{"v":1,"type":"frame-started","turn":"02e83f8612dc4feb","frame":"02e83f8612dc4feb.8.0","name":"work","message":"{\"task\":\"buy\"}"}');
INSERT INTO "events" VALUES (10, 533260629128, 1795369782090, 'model-refused', '02e83f8612dc4feb', 166, '{"v":1,"type":"model-refused","turn":"02e83f8612dc4feb","frame":"02e83f8612dc4feb.8.0","limit":"tokens","of":"02e83f8612dc4feb.8.0","most":500,"used":0,"needed":1645}');
INSERT INTO "events" VALUES (11, 533260629128, 1795369782090, 'tool-call-ended', '02e83f8612dc4feb', 214, '{"v":1,"type":"tool-call-ended","turn":"02e83f8612dc4feb","call":"02e83f8612dc4feb.8.0","result":{"type":"text","content":"Stopped: the limit of 500 tokens was reached before there was an answer.","withheld":true}}');
INSERT INTO "events" VALUES (12, 533260629128, 1795369782090, 'model-asked', '02e83f8612dc4feb', 240, '{"v":1,"type":"model-asked","turn":"02e83f8612dc4feb","reserved":{"inputTokens":364,"outputTokens":4096,"cost":0.041324},"request":{"model":"scripted","system":"19v8e0a1tgnvse","tools":"3d9out0c6f7fj/","messages":5,"text":"1v9ftnk12b64gb"}}');
INSERT INTO "events" VALUES (13, 533260629128, 1795369782221, 'model-replied', '02e83f8612dc4feb', 183, '{"v":1,"type":"model-replied","turn":"02e83f8612dc4feb","model":"scripted","text":"Bought.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}');
INSERT INTO "events" VALUES (14, 533260629128, 1795369782221, 'turn-ended', '02e83f8612dc4feb', 75, '{"v":1,"type":"turn-ended","turn":"02e83f8612dc4feb","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 533260629128, '56eb10047e0c4c63', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
