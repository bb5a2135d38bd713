-- do/holdfast-SessionObject/f54068b88d65009818535b8a003785d1cf9a46cfe1f9e1dbe16aa366f56d4526.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","pipeline","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781491, 'session-opened', '', 83, '{"v":1,"type":"session-opened","incarnation":"de7e49c60e7b4189","agent":"pipeline"}');
INSERT INTO "events" VALUES (2, 0, 1795369781491, 'turn-started', '734ca3877a2b4f2f', 137, '{"v":1,"type":"turn-started","turn":"734ca3877a2b4f2f","loopId":"734ca3877a2b4f2f","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 957645312618, 1795369781824, 'model-replied', '734ca3877a2b4f2f', 271, '{"v":1,"type":"model-replied","turn":"734ca3877a2b4f2f","model":"scripted","text":"","toolCalls":[{"id":"734ca3877a2b4f2f.3.0","providerId":"call_0_0","name":"prepare","input":"{\"input\":\"a page\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 957645312618, 1795369781824, 'frame-started', '734ca3877a2b4f2f', 150, '{"v":1,"type":"frame-started","turn":"734ca3877a2b4f2f","frame":"734ca3877a2b4f2f.3.0","name":"prepare","message":"Pipeline: fetch -> clean -> store"}');
INSERT INTO "events" VALUES (5, 957645312618, 1795369781824, 'model-replied', '734ca3877a2b4f2f', 263, '{"v":1,"type":"model-replied","turn":"734ca3877a2b4f2f","frame":"734ca3877a2b4f2f.3.0","model":"plan","text":"","toolCalls":[{"id":"734ca3877a2b4f2f.5.0","providerId":"step_0","name":"fetch","input":"{\"input\":\"a page\"}"}],"finish":"tool-calls","planned":true}');
INSERT INTO "events" VALUES (6, 957645312618, 1795369781824, 'tool-call-started', '734ca3877a2b4f2f', 137, '{"v":1,"type":"tool-call-started","turn":"734ca3877a2b4f2f","frame":"734ca3877a2b4f2f.3.0","call":"734ca3877a2b4f2f.5.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 957645312618, 1795369781824, 'tool-call-ended', '734ca3877a2b4f2f', 179, '{"v":1,"type":"tool-call-ended","turn":"734ca3877a2b4f2f","frame":"734ca3877a2b4f2f.3.0","call":"734ca3877a2b4f2f.5.0","result":{"type":"text","content":"a page, fetched"},"ms":0}');
INSERT INTO "events" VALUES (8, 957645312618, 1795369781824, 'model-replied', '734ca3877a2b4f2f', 272, '{"v":1,"type":"model-replied","turn":"734ca3877a2b4f2f","frame":"734ca3877a2b4f2f.3.0","model":"plan","text":"","toolCalls":[{"id":"734ca3877a2b4f2f.8.0","providerId":"step_1","name":"clean","input":"{\"input\":\"a page, fetched\"}"}],"finish":"tool-calls","planned":true}');
INSERT INTO "events" VALUES (9, 957645312618, 1795369781824, 'tool-call-started', '734ca3877a2b4f2f', 143, '{"v":1,"type":"tool-call-started","turn":"734ca3877a2b4f2f","frame":"734ca3877a2b4f2f.3.0","call":"734ca3877a2b4f2f.8.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 957645312618, 1795369781829, 'tool-call-ended', '734ca3877a2b4f2f', 188, '{"v":1,"type":"tool-call-ended","turn":"734ca3877a2b4f2f","frame":"734ca3877a2b4f2f.3.0","call":"734ca3877a2b4f2f.8.0","result":{"type":"text","content":"a page, fetched, cleaned"},"ms":0}');
INSERT INTO "events" VALUES (11, 957645312618, 1795369781829, 'model-replied', '734ca3877a2b4f2f', 282, '{"v":1,"type":"model-replied","turn":"734ca3877a2b4f2f","frame":"734ca3877a2b4f2f.3.0","model":"plan","text":"","toolCalls":[{"id":"734ca3877a2b4f2f.11.0","providerId":"step_2","name":"store","input":"{\"input\":\"a page, fetched, cleaned\"}"}],"finish":"tool-calls","planned":true}');
INSERT INTO "events" VALUES (12, 957645312618, 1795369781829, 'tool-call-suspended', '734ca3877a2b4f2f', 448, '{"v":1,"type":"tool-call-suspended","turn":"734ca3877a2b4f2f","frame":"734ca3877a2b4f2f.3.0","call":"734ca3877a2b4f2f.11.0","wait":{"for":"decision","message":"Store it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{"input":{"type":"string","description":"The input to pass to the tool"}},"required":["input"]},"onExpiry":"reject","binding":"68af0103bddf8e0d74dffb6ad1598527e7cc8d220ae60650331e835c3cc59e6c"}}');
INSERT INTO "lease" VALUES (1, 957645312618, 'c77d0389757a4a7e', '734ca3877a2b4f2f', 'suspended', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
