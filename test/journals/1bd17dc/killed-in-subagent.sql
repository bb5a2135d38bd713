-- do/holdfast-SessionObject/7db4e44f4b462ea89c827be82abef4c40d5b29174d7e18544d866441e6a2785f.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","killed-in-subagent","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781494, 'session-opened', '', 93, '{"v":1,"type":"session-opened","incarnation":"04d205e69a8d4b93","agent":"killed-in-subagent"}');
INSERT INTO "events" VALUES (2, 0, 1795369781494, 'turn-started', 'd6eb48e0e9d6408a', 137, '{"v":1,"type":"turn-started","turn":"d6eb48e0e9d6408a","loopId":"d6eb48e0e9d6408a","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 643561525246, 1795369781957, 'model-replied', 'd6eb48e0e9d6408a', 275, '{"v":1,"type":"model-replied","turn":"d6eb48e0e9d6408a","model":"scripted","text":"","toolCalls":[{"id":"d6eb48e0e9d6408a.3.0","providerId":"call_0_0","name":"clerk","input":"{\"message\":\"Charge it.\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 643561525246, 1795369781957, 'frame-started', 'd6eb48e0e9d6408a', 146, '{"v":1,"type":"frame-started","turn":"d6eb48e0e9d6408a","frame":"d6eb48e0e9d6408a.3.0","name":"clerk","message":"Charge it.","ownBlackboard":true}');
INSERT INTO "events" VALUES (5, 643561525246, 1795369782064, 'model-replied', 'd6eb48e0e9d6408a', 282, '{"v":1,"type":"model-replied","turn":"d6eb48e0e9d6408a","frame":"d6eb48e0e9d6408a.3.0","model":"scripted","text":"","toolCalls":[{"id":"d6eb48e0e9d6408a.5.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (6, 643561525246, 1795369782064, 'tool-call-started', 'd6eb48e0e9d6408a', 137, '{"v":1,"type":"tool-call-started","turn":"d6eb48e0e9d6408a","frame":"d6eb48e0e9d6408a.3.0","call":"d6eb48e0e9d6408a.5.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 643561525246, 1795369782146, 'tool-call-ended', 'd6eb48e0e9d6408a', 180, '{"v":1,"type":"tool-call-ended","turn":"d6eb48e0e9d6408a","frame":"d6eb48e0e9d6408a.3.0","call":"d6eb48e0e9d6408a.5.0","result":{"type":"text","content":"look_up is done"},"ms":78}');
INSERT INTO "events" VALUES (8, 643561525246, 1795369782221, 'model-replied', 'd6eb48e0e9d6408a', 281, '{"v":1,"type":"model-replied","turn":"d6eb48e0e9d6408a","frame":"d6eb48e0e9d6408a.3.0","model":"scripted","text":"","toolCalls":[{"id":"d6eb48e0e9d6408a.8.0","providerId":"call_1_0","name":"charge","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 643561525246, 1795369782221, 'tool-call-started', 'd6eb48e0e9d6408a', 137, '{"v":1,"type":"tool-call-started","turn":"d6eb48e0e9d6408a","frame":"d6eb48e0e9d6408a.3.0","call":"d6eb48e0e9d6408a.8.0","effect":"once"}');
INSERT INTO "lease" VALUES (1, 643561525246, '92ada7b7812047ff', 'd6eb48e0e9d6408a', 'held', 'started', 0, 0, NULL);
INSERT INTO "agenda" VALUES ('turn', 'd6eb48e0e9d6408a', 1795369815549);
INSERT INTO "_cf_METADATA" VALUES (1, 1795369815549000000);
