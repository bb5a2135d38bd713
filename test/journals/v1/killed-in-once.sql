-- do/holdfast-SessionObject/1daa02f4ab212b4a0e8681237d54c227dbe9e4b401e957edae5736b5eac7b0d6.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, lengths TEXT, body TEXT);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT,
state TEXT NOT NULL, cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL,
heard INTEGER NOT NULL, heardSeq INTEGER NOT NULL, taken INTEGER NOT NULL, strikes INTEGER NOT NULL,
stoppedAt TEXT NOT NULL, unread INTEGER NOT NULL);
CREATE TABLE requests (key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, turn TEXT NOT NULL, seq INTEGER NOT NULL,
expires INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX expiries ON requests (expires);
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (kind TEXT NOT NULL, ref TEXT NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (kind, ref)) WITHOUT ROWID;
CREATE TABLE chunks (owner TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, reducer INTEGER,
messages_from INTEGER NOT NULL DEFAULT 1, body BLOB NOT NULL, PRIMARY KEY (owner, seq, part));
CREATE TABLE blobs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, about TEXT NOT NULL, size INTEGER NOT NULL,
here INTEGER NOT NULL, outside INTEGER NOT NULL, at INTEGER NOT NULL, gone TEXT,
version INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "schema" VALUES (1, '["ada","killed-in-once","s"]');
INSERT INTO "events" VALUES (1, 0, 1795936939362, 'session-opened', '', 89, NULL, '{"v":1,"type":"session-opened","incarnation":"eea54f16517d45bd","agent":"killed-in-once"}');
INSERT INTO "events" VALUES (2, 0, 1795936939362, 'turn-started', '500401f145da45b6', 137, NULL, '{"v":1,"type":"turn-started","turn":"500401f145da45b6","loopId":"500401f145da45b6","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 231178193964, 1795936939980, 'model-replied tool-call-started', '500401f145da45b6', 410, '304 106', '{"v":1,"type":"model-replied","turn":"500401f145da45b6","model":"scripted","text":"","toolCalls":[{"id":"500401f145da45b6.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"13wmipi"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"500401f145da45b6","call":"500401f145da45b6.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 231178193964, 1795936940177, 'tool-call-ended', '500401f145da45b6', 150, NULL, '{"v":1,"type":"tool-call-ended","turn":"500401f145da45b6","call":"500401f145da45b6.3.0","result":{"type":"text","content":"look_up is done"},"ms":218}');
INSERT INTO "events" VALUES (9, 231178193964, 1795936940328, 'model-replied tool-call-started tool-call-started tool-call-started', '500401f145da45b6', 804, '480 106 106 112', '{"v":1,"type":"model-replied","turn":"500401f145da45b6","model":"scripted","text":"","toolCalls":[{"id":"500401f145da45b6.6.0","providerId":"call_1_0","name":"look_up","input":"{}"},{"id":"500401f145da45b6.6.1","providerId":"call_1_1","name":"charge","input":"{\"amount\":5}"},{"id":"500401f145da45b6.6.2","providerId":"call_1_2","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"13wmipi"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"500401f145da45b6","call":"500401f145da45b6.6.0","effect":"read"}{"v":1,"type":"tool-call-started","turn":"500401f145da45b6","call":"500401f145da45b6.6.1","effect":"once"}{"v":1,"type":"tool-call-started","turn":"500401f145da45b6","call":"500401f145da45b6.6.2","effect":"idempotent"}');
INSERT INTO "events" VALUES (10, 231178193964, 1795936940567, 'tool-call-ended', '500401f145da45b6', 150, NULL, '{"v":1,"type":"tool-call-ended","turn":"500401f145da45b6","call":"500401f145da45b6.6.0","result":{"type":"text","content":"look_up is done"},"ms":212}');
INSERT INTO "lease" VALUES (1, 231178193964, '24c9b328aa204591', '500401f145da45b6', 'held', 'started', 0, 0, 1795936953903, 10, 1795936939670, 0, '', 0);
INSERT INTO "agenda" VALUES ('turn', '500401f145da45b6', 1795936959670);
INSERT INTO "_cf_METADATA" VALUES (1, 1795936959670000000);
