-- do/holdfast-SessionObject/53381fd09dc47ca153c3ffd39e098670801fe876981a41d9f35635956a07f263.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 2);
INSERT INTO "schema" VALUES (1, '["ada","queued","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346784, 'session-opened', '', 81, NULL, '{"v":1,"type":"session-opened","incarnation":"4a49953c99794b16","agent":"queued"}');
INSERT INTO "events" VALUES (2, 0, 1795939346784, 'turn-started', 'c27bd40d7d1648ba', 137, NULL, '{"v":1,"type":"turn-started","turn":"c27bd40d7d1648ba","loopId":"c27bd40d7d1648ba","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 909365267083, 1795939347255, 'model-replied tool-call-suspended', 'c27bd40d7d1648ba', 623, '300 323', '{"v":1,"type":"model-replied","turn":"c27bd40d7d1648ba","model":"scripted","text":"","toolCalls":[{"id":"c27bd40d7d1648ba.3.0","providerId":"call_0_0","name":"send","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"63e6xj"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-suspended","turn":"c27bd40d7d1648ba","call":"c27bd40d7d1648ba.3.0","wait":{"for":"decision","message":"Send it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"e0d045363c847ea035aa95475a41ac271be36ec60882927bbe086ba86ba83424"}}');
INSERT INTO "lease" VALUES (1, 909365267083, '83481b2c7bc044a3', 'c27bd40d7d1648ba', 'suspended', 'started', 0, 0, 1795939347255, 4, 1795939346784, 0, '', 0, NULL, 0);
INSERT INTO "inbox" VALUES (1, 'message', 'd4490a105fc2405f', '{"v":1,"type":"turn-started","turn":"d4490a105fc2405f","loopId":"d4490a105fc2405f","message":"And two?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "inbox" VALUES (2, 'message', 'e8fd1d60d9f745d0', '{"v":1,"type":"turn-started","turn":"e8fd1d60d9f745d0","loopId":"e8fd1d60d9f745d0","message":"And three?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
