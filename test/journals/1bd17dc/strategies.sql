-- do/holdfast-SessionObject/736c2e4c4c71df7b2d2a39442aa970a5c19a1fe6fc1ace9dc044690d613cb284.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","strategies","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781492, 'session-opened', '', 85, '{"v":1,"type":"session-opened","incarnation":"164f973c8f014f96","agent":"strategies"}');
INSERT INTO "events" VALUES (2, 0, 1795369781492, 'turn-started', 'fe99afb7d1984289', 137, '{"v":1,"type":"turn-started","turn":"fe99afb7d1984289","loopId":"fe99afb7d1984289","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 635667788809, 1795369781825, 'model-replied', 'fe99afb7d1984289', 250, '{"v":1,"type":"model-replied","turn":"fe99afb7d1984289","model":"scripted","text":"","toolCalls":[{"id":"fe99afb7d1984289.3.0","providerId":"call_0_0","name":"unlock","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 635667788809, 1795369781825, 'tool-call-started', 'fe99afb7d1984289', 112, '{"v":1,"type":"tool-call-started","turn":"fe99afb7d1984289","call":"fe99afb7d1984289.3.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (5, 635667788809, 1795369781978, 'tool-call-ended', 'fe99afb7d1984289', 149, '{"v":1,"type":"tool-call-ended","turn":"fe99afb7d1984289","call":"fe99afb7d1984289.3.0","result":{"type":"text","content":"unlock is done"},"ms":127}');
INSERT INTO "events" VALUES (6, 635667788809, 1795369782076, 'model-replied', 'fe99afb7d1984289', 328, '{"v":1,"type":"model-replied","turn":"fe99afb7d1984289","model":"scripted","text":"","toolCalls":[{"id":"fe99afb7d1984289.6.0","providerId":"call_1_0","name":"pay","input":"{}"},{"id":"fe99afb7d1984289.6.1","providerId":"call_1_1","name":"lock","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 635667788809, 1795369782076, 'tool-call-started', 'fe99afb7d1984289', 106, '{"v":1,"type":"tool-call-started","turn":"fe99afb7d1984289","call":"fe99afb7d1984289.6.0","effect":"once"}');
INSERT INTO "events" VALUES (8, 635667788809, 1795369782076, 'tool-call-started', 'fe99afb7d1984289', 106, '{"v":1,"type":"tool-call-started","turn":"fe99afb7d1984289","call":"fe99afb7d1984289.6.1","effect":"read"}');
INSERT INTO "events" VALUES (9, 635667788809, 1795369782197, 'tool-call-ended', 'fe99afb7d1984289', 146, '{"v":1,"type":"tool-call-ended","turn":"fe99afb7d1984289","call":"fe99afb7d1984289.6.1","result":{"type":"text","content":"lock is done"},"ms":90}');
INSERT INTO "events" VALUES (10, 635667788809, 1795369782217, 'tool-call-ended', 'fe99afb7d1984289', 146, '{"v":1,"type":"tool-call-ended","turn":"fe99afb7d1984289","call":"fe99afb7d1984289.6.0","result":{"type":"text","content":"pay is done"},"ms":114}');
INSERT INTO "events" VALUES (11, 635667788809, 1795369782257, 'model-replied', 'fe99afb7d1984289', 251, '{"v":1,"type":"model-replied","turn":"fe99afb7d1984289","model":"scripted","text":"","toolCalls":[{"id":"fe99afb7d1984289.11.0","providerId":"call_2_0","name":"unlock","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (12, 635667788809, 1795369782257, 'tool-call-started', 'fe99afb7d1984289', 113, '{"v":1,"type":"tool-call-started","turn":"fe99afb7d1984289","call":"fe99afb7d1984289.11.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (13, 635667788809, 1795369782327, 'tool-call-ended', 'fe99afb7d1984289', 149, '{"v":1,"type":"tool-call-ended","turn":"fe99afb7d1984289","call":"fe99afb7d1984289.11.0","result":{"type":"text","content":"unlock is done"},"ms":49}');
INSERT INTO "events" VALUES (14, 635667788809, 1795369782361, 'model-replied', 'fe99afb7d1984289', 171, '{"v":1,"type":"model-replied","turn":"fe99afb7d1984289","model":"scripted","text":"Unlocked.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (15, 635667788809, 1795369782361, 'turn-ended', 'fe99afb7d1984289', 75, '{"v":1,"type":"turn-ended","turn":"fe99afb7d1984289","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 635667788809, 'fad9f2809cae4ca2', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
