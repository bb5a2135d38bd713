-- do/holdfast-SessionObject/1daa02f4ab212b4a0e8681237d54c227dbe9e4b401e957edae5736b5eac7b0d6.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","killed-in-once","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781349, 'session-opened', '', 89, '{"v":1,"type":"session-opened","incarnation":"d1087bf458a74978","agent":"killed-in-once"}');
INSERT INTO "events" VALUES (2, 0, 1795369781349, 'turn-started', '9760f5aca8ab4cc3', 137, '{"v":1,"type":"turn-started","turn":"9760f5aca8ab4cc3","loopId":"9760f5aca8ab4cc3","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 773235893672, 1795369781909, 'model-replied', '9760f5aca8ab4cc3', 251, '{"v":1,"type":"model-replied","turn":"9760f5aca8ab4cc3","model":"scripted","text":"","toolCalls":[{"id":"9760f5aca8ab4cc3.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 773235893672, 1795369781909, 'tool-call-started', '9760f5aca8ab4cc3', 106, '{"v":1,"type":"tool-call-started","turn":"9760f5aca8ab4cc3","call":"9760f5aca8ab4cc3.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 773235893672, 1795369782038, 'tool-call-ended', '9760f5aca8ab4cc3', 150, '{"v":1,"type":"tool-call-ended","turn":"9760f5aca8ab4cc3","call":"9760f5aca8ab4cc3.3.0","result":{"type":"text","content":"look_up is done"},"ms":111}');
INSERT INTO "events" VALUES (6, 773235893672, 1795369782090, 'model-replied', '9760f5aca8ab4cc3', 427, '{"v":1,"type":"model-replied","turn":"9760f5aca8ab4cc3","model":"scripted","text":"","toolCalls":[{"id":"9760f5aca8ab4cc3.6.0","providerId":"call_1_0","name":"look_up","input":"{}"},{"id":"9760f5aca8ab4cc3.6.1","providerId":"call_1_1","name":"charge","input":"{\"amount\":5}"},{"id":"9760f5aca8ab4cc3.6.2","providerId":"call_1_2","name":"mail","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 773235893672, 1795369782090, 'tool-call-started', '9760f5aca8ab4cc3', 106, '{"v":1,"type":"tool-call-started","turn":"9760f5aca8ab4cc3","call":"9760f5aca8ab4cc3.6.0","effect":"read"}');
INSERT INTO "events" VALUES (8, 773235893672, 1795369782090, 'tool-call-started', '9760f5aca8ab4cc3', 106, '{"v":1,"type":"tool-call-started","turn":"9760f5aca8ab4cc3","call":"9760f5aca8ab4cc3.6.1","effect":"once"}');
INSERT INTO "events" VALUES (9, 773235893672, 1795369782090, 'tool-call-started', '9760f5aca8ab4cc3', 112, '{"v":1,"type":"tool-call-started","turn":"9760f5aca8ab4cc3","call":"9760f5aca8ab4cc3.6.2","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 773235893672, 1795369782217, 'tool-call-ended', '9760f5aca8ab4cc3', 150, '{"v":1,"type":"tool-call-ended","turn":"9760f5aca8ab4cc3","call":"9760f5aca8ab4cc3.6.0","result":{"type":"text","content":"look_up is done"},"ms":111}');
INSERT INTO "lease" VALUES (1, 773235893672, 'f0e040c208e34a90', '9760f5aca8ab4cc3', 'held', 'started', 0, 0, NULL);
INSERT INTO "agenda" VALUES ('turn', '9760f5aca8ab4cc3', 1795369815549);
INSERT INTO "_cf_METADATA" VALUES (1, 1795369815549000000);
