-- do/holdfast-SessionObject/2a11077e04d22c0fb4f3695caa940ff7a4bd5de95422c9d17aba3abf60e0c1b4.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","structured","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781513, 'session-opened', '', 85, '{"v":1,"type":"session-opened","incarnation":"59c5ffda21f74f03","agent":"structured"}');
INSERT INTO "events" VALUES (2, 0, 1795369781513, 'turn-started', 'd03fc668e3af4238', 137, '{"v":1,"type":"turn-started","turn":"d03fc668e3af4238","loopId":"d03fc668e3af4238","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 323833591089, 1795369781909, 'model-replied', 'd03fc668e3af4238', 249, '{"v":1,"type":"model-replied","turn":"d03fc668e3af4238","model":"scripted","text":"","toolCalls":[{"id":"d03fc668e3af4238.3.0","providerId":"call_0_0","name":"count","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 323833591089, 1795369781909, 'tool-call-started', 'd03fc668e3af4238', 106, '{"v":1,"type":"tool-call-started","turn":"d03fc668e3af4238","call":"d03fc668e3af4238.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 323833591089, 1795369782038, 'tool-call-ended', 'd03fc668e3af4238', 148, '{"v":1,"type":"tool-call-ended","turn":"d03fc668e3af4238","call":"d03fc668e3af4238.3.0","result":{"type":"text","content":"count is done"},"ms":112}');
INSERT INTO "events" VALUES (6, 323833591089, 1795369782115, 'model-replied', 'd03fc668e3af4238', 168, '{"v":1,"type":"model-replied","turn":"d03fc668e3af4238","model":"scripted","text":"Seven.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 323833591089, 1795369782115, 'answer-rejected', 'd03fc668e3af4238', 94, '{"v":1,"type":"answer-rejected","turn":"d03fc668e3af4238","problems":["It is not JSON text."]}');
INSERT INTO "events" VALUES (8, 323833591089, 1795369782199, 'model-replied', 'd03fc668e3af4238', 175, '{"v":1,"type":"model-replied","turn":"d03fc668e3af4238","model":"scripted","text":"{\"total\":7}","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 323833591089, 1795369782199, 'turn-ended', 'd03fc668e3af4238', 96, '{"v":1,"type":"turn-ended","turn":"d03fc668e3af4238","outcome":"completed","object":{"total":7}}');
INSERT INTO "lease" VALUES (1, 323833591089, '6e098295c0d849cd', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
