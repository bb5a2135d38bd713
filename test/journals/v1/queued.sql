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
INSERT INTO "events" VALUES (1, 0, 1795934290625, 'session-opened', '', 81, '{"v":1,"type":"session-opened","incarnation":"9b10eb1872874641","agent":"queued"}');
INSERT INTO "events" VALUES (2, 0, 1795934290625, 'turn-started', 'cc61d8acb68a4059', 137, '{"v":1,"type":"turn-started","turn":"cc61d8acb68a4059","loopId":"cc61d8acb68a4059","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 840264351047, 1795934294287, 'model-replied', 'cc61d8acb68a4059', 300, '{"v":1,"type":"model-replied","turn":"cc61d8acb68a4059","model":"scripted","text":"","toolCalls":[{"id":"cc61d8acb68a4059.3.0","providerId":"call_0_0","name":"send","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"63e6xj"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 840264351047, 1795934294287, 'tool-call-suspended', 'cc61d8acb68a4059', 323, '{"v":1,"type":"tool-call-suspended","turn":"cc61d8acb68a4059","call":"cc61d8acb68a4059.3.0","wait":{"for":"decision","message":"Send it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"e0d045363c847ea035aa95475a41ac271be36ec60882927bbe086ba86ba83424"}}');
INSERT INTO "lease" VALUES (1, 840264351047, 'd9754876a92b495e', 'cc61d8acb68a4059', 'suspended', 'started', 0, 0, 1795934294287, 4, 1795934290625, 0, '', 0);
INSERT INTO "inbox" VALUES (1, 'message', '70531315f18a48fd', '{"v":1,"type":"turn-started","turn":"70531315f18a48fd","loopId":"70531315f18a48fd","message":"And two?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "inbox" VALUES (2, 'message', '3fc3e1e1da20439e', '{"v":1,"type":"turn-started","turn":"3fc3e1e1da20439e","loopId":"3fc3e1e1da20439e","message":"And three?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
