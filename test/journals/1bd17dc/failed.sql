-- do/holdfast-SessionObject/28561ccd531f3276d18509b8b9516827d2aef089c142573ed69293e67360daed.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","failed","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781511, 'session-opened', '', 81, '{"v":1,"type":"session-opened","incarnation":"bdf3306e44c64ba8","agent":"failed"}');
INSERT INTO "events" VALUES (2, 0, 1795369781512, 'turn-started', 'e80ca66efb8941bb', 137, '{"v":1,"type":"turn-started","turn":"e80ca66efb8941bb","loopId":"e80ca66efb8941bb","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 396618204663, 1795369781908, 'model-replied', 'e80ca66efb8941bb', 251, '{"v":1,"type":"model-replied","turn":"e80ca66efb8941bb","model":"scripted","text":"","toolCalls":[{"id":"e80ca66efb8941bb.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 396618204663, 1795369781908, 'tool-call-started', 'e80ca66efb8941bb', 106, '{"v":1,"type":"tool-call-started","turn":"e80ca66efb8941bb","call":"e80ca66efb8941bb.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 396618204663, 1795369782038, 'tool-call-ended', 'e80ca66efb8941bb', 150, '{"v":1,"type":"tool-call-ended","turn":"e80ca66efb8941bb","call":"e80ca66efb8941bb.3.0","result":{"type":"text","content":"look_up is done"},"ms":113}');
INSERT INTO "events" VALUES (6, 396618204663, 1795369782089, 'turn-ended', 'e80ca66efb8941bb', 170, '{"v":1,"type":"turn-ended","turn":"e80ca66efb8941bb","outcome":"failed","error":{"type":"model-failure","message":"The model''s server answered 400: This model is gone."}}');
INSERT INTO "lease" VALUES (1, 396618204663, '82720354548e44a3', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
