-- do/holdfast-SessionObject/a7da7650eadb0a15da7db973ba28b9af5213f379e4acf8e580d0b6b2b287b400.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, lengths TEXT, body TEXT);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT,
state TEXT NOT NULL, cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL,
heard INTEGER NOT NULL, heardSeq INTEGER NOT NULL, taken INTEGER NOT NULL, strikes INTEGER NOT NULL,
stoppedAt TEXT NOT NULL, unread INTEGER NOT NULL, due INTEGER, line INTEGER NOT NULL);
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
INSERT INTO "events" VALUES (1, 0, 1795939346801, 'session-opened', '', 81, NULL, '{"v":1,"type":"session-opened","incarnation":"76af1a5ae2ee4bca","agent":"hooked"}');
INSERT INTO "events" VALUES (2, 0, 1795939346801, 'turn-started', '8f884e6389f04910', 154, NULL, '{"v":1,"type":"turn-started","turn":"8f884e6389f04910","loopId":"8f884e6389f04910","message":"It rains.","context":{},"principal":{"id":"webhook:sender"}}');
INSERT INTO "events" VALUES (4, 1055134602718, 1795939347393, 'model-replied tool-call-started', '8f884e6389f04910', 409, '303 106', '{"v":1,"type":"model-replied","turn":"8f884e6389f04910","model":"scripted","text":"","toolCalls":[{"id":"8f884e6389f04910.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"8f884e6389f04910","call":"8f884e6389f04910.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 1055134602718, 1795939347585, 'tool-call-ended', '8f884e6389f04910', 150, NULL, '{"v":1,"type":"tool-call-ended","turn":"8f884e6389f04910","call":"8f884e6389f04910.3.0","result":{"type":"text","content":"look_up is done"},"ms":190}');
INSERT INTO "events" VALUES (7, 1055134602718, 1795939347711, 'model-replied turn-ended', '8f884e6389f04910', 300, '225 75', '{"v":1,"type":"model-replied","turn":"8f884e6389f04910","model":"scripted","text":"So it does.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"8f884e6389f04910","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 1055134602718, '6c51d6f2cd104078', NULL, 'free', 'started', 0, 0, 1795939347712, 7, 1795939347041, 0, '', 0, NULL, 0);
INSERT INTO "requests" VALUES ('delivery sender delivery-1', 'delivery sender delivery-1', '8f884e6389f04910', 2, 1796544146801);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
