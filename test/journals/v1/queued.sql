-- do/holdfast-SessionObject/53381fd09dc47ca153c3ffd39e098670801fe876981a41d9f35635956a07f263.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, body TEXT);
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
INSERT INTO "events" VALUES (1, 0, 1795932561803, 'session-opened', '', 81, '{"v":1,"type":"session-opened","incarnation":"69b7661b5497489a","agent":"queued"}');
INSERT INTO "events" VALUES (2, 0, 1795932561803, 'turn-started', '075859c901dc427c', 137, '{"v":1,"type":"turn-started","turn":"075859c901dc427c","loopId":"075859c901dc427c","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 74954593352, 1795932563113, 'model-replied', '075859c901dc427c', 300, '{"v":1,"type":"model-replied","turn":"075859c901dc427c","model":"scripted","text":"","toolCalls":[{"id":"075859c901dc427c.3.0","providerId":"call_0_0","name":"send","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"63e6xj"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 74954593352, 1795932563113, 'tool-call-suspended', '075859c901dc427c', 323, '{"v":1,"type":"tool-call-suspended","turn":"075859c901dc427c","call":"075859c901dc427c.3.0","wait":{"for":"decision","message":"Send it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"e0d045363c847ea035aa95475a41ac271be36ec60882927bbe086ba86ba83424"}}');
INSERT INTO "lease" VALUES (1, 74954593352, 'fa922ddb148949a6', '075859c901dc427c', 'suspended', 'started', 0, 0, 1795932563113, 4, 1795932561804, 0, '', 0);
INSERT INTO "inbox" VALUES (1, 'message', '9dbed61ba7d94871', '{"v":1,"type":"turn-started","turn":"9dbed61ba7d94871","loopId":"9dbed61ba7d94871","message":"And two?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "inbox" VALUES (2, 'message', '4f7bd45b2e804f6a', '{"v":1,"type":"turn-started","turn":"4f7bd45b2e804f6a","loopId":"4f7bd45b2e804f6a","message":"And three?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
