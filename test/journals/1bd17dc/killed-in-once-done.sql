-- do/holdfast-SessionObject/c6a9497f81e292a5d02c3ac04a38f1a432c955ba60d7430157f8a7cb95de3d77.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","killed-in-once-done","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781479, 'session-opened', '', 94, '{"v":1,"type":"session-opened","incarnation":"185f07adb1bb45f5","agent":"killed-in-once-done"}');
INSERT INTO "events" VALUES (2, 0, 1795369781480, 'turn-started', 'fa34de2890764457', 137, '{"v":1,"type":"turn-started","turn":"fa34de2890764457","loopId":"fa34de2890764457","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 364784873709, 1795369781957, 'model-replied', 'fa34de2890764457', 251, '{"v":1,"type":"model-replied","turn":"fa34de2890764457","model":"scripted","text":"","toolCalls":[{"id":"fa34de2890764457.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 364784873709, 1795369781957, 'tool-call-started', 'fa34de2890764457', 106, '{"v":1,"type":"tool-call-started","turn":"fa34de2890764457","call":"fa34de2890764457.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 364784873709, 1795369782064, 'tool-call-ended', 'fa34de2890764457', 150, '{"v":1,"type":"tool-call-ended","turn":"fa34de2890764457","call":"fa34de2890764457.3.0","result":{"type":"text","content":"look_up is done"},"ms":109}');
INSERT INTO "events" VALUES (6, 364784873709, 1795369782117, 'model-replied', 'fa34de2890764457', 427, '{"v":1,"type":"model-replied","turn":"fa34de2890764457","model":"scripted","text":"","toolCalls":[{"id":"fa34de2890764457.6.0","providerId":"call_1_0","name":"look_up","input":"{}"},{"id":"fa34de2890764457.6.1","providerId":"call_1_1","name":"charge","input":"{\"amount\":5}"},{"id":"fa34de2890764457.6.2","providerId":"call_1_2","name":"mail","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 364784873709, 1795369782117, 'tool-call-started', 'fa34de2890764457', 106, '{"v":1,"type":"tool-call-started","turn":"fa34de2890764457","call":"fa34de2890764457.6.0","effect":"read"}');
INSERT INTO "events" VALUES (8, 364784873709, 1795369782117, 'tool-call-started', 'fa34de2890764457', 106, '{"v":1,"type":"tool-call-started","turn":"fa34de2890764457","call":"fa34de2890764457.6.1","effect":"once"}');
INSERT INTO "events" VALUES (9, 364784873709, 1795369782117, 'tool-call-started', 'fa34de2890764457', 112, '{"v":1,"type":"tool-call-started","turn":"fa34de2890764457","call":"fa34de2890764457.6.2","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 364784873709, 1795369782236, 'tool-call-ended', 'fa34de2890764457', 150, '{"v":1,"type":"tool-call-ended","turn":"fa34de2890764457","call":"fa34de2890764457.6.0","result":{"type":"text","content":"look_up is done"},"ms":104}');
INSERT INTO "lease" VALUES (1, 364784873709, 'c4a1ba8a06b24c78', 'fa34de2890764457', 'held', 'started', 0, 0, NULL);
INSERT INTO "agenda" VALUES ('turn', 'fa34de2890764457', 1795369815572);
INSERT INTO "_cf_METADATA" VALUES (1, 1795369815572000000);
