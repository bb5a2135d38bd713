-- do/holdfast-SessionObject/8e05397af53173ad55f8d3583f6818d2ae90fff4cc63b363a483234a74675301.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","limit-reached","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781512, 'session-opened', '', 88, '{"v":1,"type":"session-opened","incarnation":"25f8e3640f0e4172","agent":"limit-reached"}');
INSERT INTO "events" VALUES (2, 0, 1795369781512, 'turn-started', '1638ac6b2af94b2d', 137, '{"v":1,"type":"turn-started","turn":"1638ac6b2af94b2d","loopId":"1638ac6b2af94b2d","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 433280992948, 1795369781909, 'model-replied', '1638ac6b2af94b2d', 419, '{"v":1,"type":"model-replied","turn":"1638ac6b2af94b2d","model":"scripted","text":"","toolCalls":[{"id":"1638ac6b2af94b2d.3.0","providerId":"call_0_0","name":"look_up","input":"{}"},{"id":"1638ac6b2af94b2d.3.1","providerId":"call_0_1","name":"look_up","input":"{}"},{"id":"1638ac6b2af94b2d.3.2","providerId":"call_0_2","name":"look_up","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 433280992948, 1795369781909, 'tool-call-ended', '1638ac6b2af94b2d', 248, '{"v":1,"type":"tool-call-ended","turn":"1638ac6b2af94b2d","call":"1638ac6b2af94b2d.3.2","result":{"type":"error","message":"Tool call limit (2) exceeded for tool ''look_up''. No further calls to this tool are allowed in this turn.","reason":"limit"}}');
INSERT INTO "events" VALUES (5, 433280992948, 1795369781909, 'tool-call-started', '1638ac6b2af94b2d', 106, '{"v":1,"type":"tool-call-started","turn":"1638ac6b2af94b2d","call":"1638ac6b2af94b2d.3.0","effect":"read"}');
INSERT INTO "events" VALUES (6, 433280992948, 1795369781909, 'tool-call-started', '1638ac6b2af94b2d', 106, '{"v":1,"type":"tool-call-started","turn":"1638ac6b2af94b2d","call":"1638ac6b2af94b2d.3.1","effect":"read"}');
INSERT INTO "events" VALUES (7, 433280992948, 1795369782038, 'tool-call-ended', '1638ac6b2af94b2d', 150, '{"v":1,"type":"tool-call-ended","turn":"1638ac6b2af94b2d","call":"1638ac6b2af94b2d.3.0","result":{"type":"text","content":"look_up is done"},"ms":112}');
INSERT INTO "events" VALUES (8, 433280992948, 1795369782038, 'tool-call-ended', '1638ac6b2af94b2d', 150, '{"v":1,"type":"tool-call-ended","turn":"1638ac6b2af94b2d","call":"1638ac6b2af94b2d.3.1","result":{"type":"text","content":"look_up is done"},"ms":112}');
INSERT INTO "events" VALUES (9, 433280992948, 1795369782115, 'model-replied', '1638ac6b2af94b2d', 248, '{"v":1,"type":"model-replied","turn":"1638ac6b2af94b2d","model":"scripted","text":"","toolCalls":[{"id":"1638ac6b2af94b2d.9.0","providerId":"call_1_0","name":"note","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 433280992948, 1795369782115, 'tool-call-started', '1638ac6b2af94b2d', 106, '{"v":1,"type":"tool-call-started","turn":"1638ac6b2af94b2d","call":"1638ac6b2af94b2d.9.0","effect":"read"}');
INSERT INTO "events" VALUES (11, 433280992948, 1795369782217, 'tool-call-ended', '1638ac6b2af94b2d', 147, '{"v":1,"type":"tool-call-ended","turn":"1638ac6b2af94b2d","call":"1638ac6b2af94b2d.9.0","result":{"type":"text","content":"note is done"},"ms":112}');
INSERT INTO "events" VALUES (12, 433280992948, 1795369782258, 'model-replied', '1638ac6b2af94b2d', 193, '{"v":1,"type":"model-replied","turn":"1638ac6b2af94b2d","model":"scripted","text":"That is all I know.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10},"last":true}');
INSERT INTO "events" VALUES (13, 433280992948, 1795369782258, 'turn-ended', '1638ac6b2af94b2d', 79, '{"v":1,"type":"turn-ended","turn":"1638ac6b2af94b2d","outcome":"limit-reached"}');
INSERT INTO "lease" VALUES (1, 433280992948, '9599b410b41145e8', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
