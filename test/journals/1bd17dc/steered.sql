-- do/holdfast-SessionObject/b70873bd3f00bc1e8a7c94132f201ff6a020fdf35583569ce5996e9864210523.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 2);
INSERT INTO "schema" VALUES (2, '["ada","steered","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781502, 'session-opened', '', 82, '{"v":1,"type":"session-opened","incarnation":"1f43b985be7e4edc","agent":"steered"}');
INSERT INTO "events" VALUES (2, 0, 1795369781502, 'turn-started', 'fd7dcd21f3a748ee', 137, '{"v":1,"type":"turn-started","turn":"fd7dcd21f3a748ee","loopId":"fd7dcd21f3a748ee","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 449649410833, 1795369781937, 'model-replied', 'fd7dcd21f3a748ee', 251, '{"v":1,"type":"model-replied","turn":"fd7dcd21f3a748ee","model":"scripted","text":"","toolCalls":[{"id":"fd7dcd21f3a748ee.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 449649410833, 1795369781937, 'tool-call-started', 'fd7dcd21f3a748ee', 112, '{"v":1,"type":"tool-call-started","turn":"fd7dcd21f3a748ee","call":"fd7dcd21f3a748ee.3.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (5, 449649410833, 1795369782115, 'tool-call-ended', 'fd7dcd21f3a748ee', 150, '{"v":1,"type":"tool-call-ended","turn":"fd7dcd21f3a748ee","call":"fd7dcd21f3a748ee.3.0","result":{"type":"text","content":"look_up is done"},"ms":140}');
INSERT INTO "events" VALUES (6, 449649410833, 1795369782217, 'model-replied', 'fd7dcd21f3a748ee', 167, '{"v":1,"type":"model-replied","turn":"fd7dcd21f3a748ee","model":"scripted","text":"Gone.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 449649410833, 1795369782217, 'turn-steered', 'fd7dcd21f3a748ee', 129, '{"v":1,"type":"turn-steered","turn":"fd7dcd21f3a748ee","as":"e05351632aa446a0","message":"To the left.","principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (8, 449649410833, 1795369782257, 'model-replied', 'fd7dcd21f3a748ee', 172, '{"v":1,"type":"model-replied","turn":"fd7dcd21f3a748ee","model":"scripted","text":"Gone left.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 449649410833, 1795369782257, 'turn-ended', 'fd7dcd21f3a748ee', 75, '{"v":1,"type":"turn-ended","turn":"fd7dcd21f3a748ee","outcome":"completed"}');
INSERT INTO "events" VALUES (10, 0, 1795369782329, 'turn-started', 'ac28c2014c6e4758', 140, '{"v":1,"type":"turn-started","turn":"ac28c2014c6e4758","loopId":"ac28c2014c6e4758","message":"Again.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (11, 449649410834, 1795369782395, 'model-replied', 'ac28c2014c6e4758', 252, '{"v":1,"type":"model-replied","turn":"ac28c2014c6e4758","model":"scripted","text":"","toolCalls":[{"id":"ac28c2014c6e4758.11.0","providerId":"call_3_0","name":"look_up","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (12, 449649410834, 1795369782395, 'tool-call-started', 'ac28c2014c6e4758', 113, '{"v":1,"type":"tool-call-started","turn":"ac28c2014c6e4758","call":"ac28c2014c6e4758.11.0","effect":"idempotent"}');
INSERT INTO "lease" VALUES (1, 449649410834, 'e485894a602943c8', 'ac28c2014c6e4758', 'held', 'started', 0, 0, NULL);
INSERT INTO "requests" VALUES ('steered e05351632aa446a0', '', 'fd7dcd21f3a748ee', 0, 1796060982217);
INSERT INTO "inbox" VALUES (2, 'steer', '67c93860439c473c', '{"v":1,"type":"turn-started","turn":"67c93860439c473c","loopId":"67c93860439c473c","message":"To the right.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "agenda" VALUES ('turn', 'ac28c2014c6e4758', 1795369815728);
INSERT INTO "_cf_METADATA" VALUES (1, 1795369815728000000);
