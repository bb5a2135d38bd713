-- do/holdfast-SessionObject/53381fd09dc47ca153c3ffd39e098670801fe876981a41d9f35635956a07f263.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 2);
INSERT INTO "schema" VALUES (1, '["ada","queued","s"]');
INSERT INTO "events" VALUES (1, 0, 1795936939402, 'session-opened', '', 81, NULL, '{"v":1,"type":"session-opened","incarnation":"65a043e1b1f44c25","agent":"queued"}');
INSERT INTO "events" VALUES (2, 0, 1795936939402, 'turn-started', '42c2f0066af048f4', 137, NULL, '{"v":1,"type":"turn-started","turn":"42c2f0066af048f4","loopId":"42c2f0066af048f4","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 921836234016, 1795936939838, 'model-replied tool-call-suspended', '42c2f0066af048f4', 623, '300 323', '{"v":1,"type":"model-replied","turn":"42c2f0066af048f4","model":"scripted","text":"","toolCalls":[{"id":"42c2f0066af048f4.3.0","providerId":"call_0_0","name":"send","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"63e6xj"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-suspended","turn":"42c2f0066af048f4","call":"42c2f0066af048f4.3.0","wait":{"for":"decision","message":"Send it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"e0d045363c847ea035aa95475a41ac271be36ec60882927bbe086ba86ba83424"}}');
INSERT INTO "lease" VALUES (1, 921836234016, '9bfbf701e2a8454a', '42c2f0066af048f4', 'suspended', 'started', 0, 0, 1795936939838, 4, 1795936939402, 0, '', 0);
INSERT INTO "inbox" VALUES (1, 'message', 'd1b6b67067f1419c', '{"v":1,"type":"turn-started","turn":"d1b6b67067f1419c","loopId":"d1b6b67067f1419c","message":"And two?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "inbox" VALUES (2, 'message', 'c4c4ce7a1ebf429d', '{"v":1,"type":"turn-started","turn":"c4c4ce7a1ebf429d","loopId":"c4c4ce7a1ebf429d","message":"And three?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
