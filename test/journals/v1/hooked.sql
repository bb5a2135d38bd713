-- do/holdfast-SessionObject/a7da7650eadb0a15da7db973ba28b9af5213f379e4acf8e580d0b6b2b287b400.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","hooked","s"]');
INSERT INTO "events" VALUES (1, 0, 1795936939427, 'session-opened', '', 81, NULL, '{"v":1,"type":"session-opened","incarnation":"606e5bdd0d324ea5","agent":"hooked"}');
INSERT INTO "events" VALUES (2, 0, 1795936939427, 'turn-started', '825f472344a84926', 154, NULL, '{"v":1,"type":"turn-started","turn":"825f472344a84926","loopId":"825f472344a84926","message":"It rains.","context":{},"principal":{"id":"webhook:sender"}}');
INSERT INTO "events" VALUES (4, 388700794931, 1795936939995, 'model-replied tool-call-started', '825f472344a84926', 409, '303 106', '{"v":1,"type":"model-replied","turn":"825f472344a84926","model":"scripted","text":"","toolCalls":[{"id":"825f472344a84926.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"825f472344a84926","call":"825f472344a84926.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 388700794931, 1795936940202, 'tool-call-ended', '825f472344a84926', 150, NULL, '{"v":1,"type":"tool-call-ended","turn":"825f472344a84926","call":"825f472344a84926.3.0","result":{"type":"text","content":"look_up is done"},"ms":204}');
INSERT INTO "events" VALUES (7, 388700794931, 1795936940368, 'model-replied turn-ended', '825f472344a84926', 300, '225 75', '{"v":1,"type":"model-replied","turn":"825f472344a84926","model":"scripted","text":"So it does.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"825f472344a84926","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 388700794931, '85fce4a015924f81', NULL, 'free', 'started', 0, 0, 1795936940369, 7, 1795936939680, 0, '', 0);
INSERT INTO "requests" VALUES ('delivery sender delivery-1', 'delivery sender delivery-1', '825f472344a84926', 2, 1796541739428);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
