-- do/holdfast-SessionObject/e88741d82770b8033c94f43b4ba4a3b7437e97a7edd956ec26f0344565f42596.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","killed-in-once-not-done","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781481, 'session-opened', '', 98, '{"v":1,"type":"session-opened","incarnation":"5d40f8d854f542f3","agent":"killed-in-once-not-done"}');
INSERT INTO "events" VALUES (2, 0, 1795369781481, 'turn-started', '9042173abecb40bb', 137, '{"v":1,"type":"turn-started","turn":"9042173abecb40bb","loopId":"9042173abecb40bb","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 368176688553, 1795369781957, 'model-replied', '9042173abecb40bb', 251, '{"v":1,"type":"model-replied","turn":"9042173abecb40bb","model":"scripted","text":"","toolCalls":[{"id":"9042173abecb40bb.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 368176688553, 1795369781957, 'tool-call-started', '9042173abecb40bb', 106, '{"v":1,"type":"tool-call-started","turn":"9042173abecb40bb","call":"9042173abecb40bb.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 368176688553, 1795369782064, 'tool-call-ended', '9042173abecb40bb', 150, '{"v":1,"type":"tool-call-ended","turn":"9042173abecb40bb","call":"9042173abecb40bb.3.0","result":{"type":"text","content":"look_up is done"},"ms":109}');
INSERT INTO "events" VALUES (6, 368176688553, 1795369782117, 'model-replied', '9042173abecb40bb', 427, '{"v":1,"type":"model-replied","turn":"9042173abecb40bb","model":"scripted","text":"","toolCalls":[{"id":"9042173abecb40bb.6.0","providerId":"call_1_0","name":"look_up","input":"{}"},{"id":"9042173abecb40bb.6.1","providerId":"call_1_1","name":"charge","input":"{\"amount\":5}"},{"id":"9042173abecb40bb.6.2","providerId":"call_1_2","name":"mail","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 368176688553, 1795369782117, 'tool-call-started', '9042173abecb40bb', 106, '{"v":1,"type":"tool-call-started","turn":"9042173abecb40bb","call":"9042173abecb40bb.6.0","effect":"read"}');
INSERT INTO "events" VALUES (8, 368176688553, 1795369782117, 'tool-call-started', '9042173abecb40bb', 106, '{"v":1,"type":"tool-call-started","turn":"9042173abecb40bb","call":"9042173abecb40bb.6.1","effect":"once"}');
INSERT INTO "events" VALUES (9, 368176688553, 1795369782117, 'tool-call-started', '9042173abecb40bb', 112, '{"v":1,"type":"tool-call-started","turn":"9042173abecb40bb","call":"9042173abecb40bb.6.2","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 368176688553, 1795369782236, 'tool-call-ended', '9042173abecb40bb', 150, '{"v":1,"type":"tool-call-ended","turn":"9042173abecb40bb","call":"9042173abecb40bb.6.0","result":{"type":"text","content":"look_up is done"},"ms":104}');
INSERT INTO "lease" VALUES (1, 368176688553, '1187e51e763144ac', '9042173abecb40bb', 'held', 'started', 0, 0, NULL);
INSERT INTO "agenda" VALUES ('turn', '9042173abecb40bb', 1795369815572);
INSERT INTO "_cf_METADATA" VALUES (1, 1795369815572000000);
