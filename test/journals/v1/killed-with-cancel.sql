-- do/holdfast-SessionObject/1d1e377a8b6ec1b17616fecec251b473c68bdb45ba7f34deb60eec82271cb18d.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 1);
INSERT INTO "schema" VALUES (1, '["ada","killed-with-cancel","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346790, 'session-opened', '', 93, NULL, '{"v":1,"type":"session-opened","incarnation":"b29296803af94b0a","agent":"killed-with-cancel"}');
INSERT INTO "events" VALUES (2, 0, 1795939346790, 'turn-started', '6cb55b746df54ba5', 137, NULL, '{"v":1,"type":"turn-started","turn":"6cb55b746df54ba5","loopId":"6cb55b746df54ba5","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 541815685683, 1795939347369, 'model-replied tool-call-started', '6cb55b746df54ba5', 492, '386 106', '{"v":1,"type":"model-replied","turn":"6cb55b746df54ba5","model":"scripted","text":"","toolCalls":[{"id":"6cb55b746df54ba5.3.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"6cb55b746df54ba5.3.1","providerId":"call_0_1","name":"refund","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1y3kbgt"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"6cb55b746df54ba5","call":"6cb55b746df54ba5.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 541815685683, 1795939347394, 'tool-call-suspended', '6cb55b746df54ba5', 325, NULL, '{"v":1,"type":"tool-call-suspended","turn":"6cb55b746df54ba5","call":"6cb55b746df54ba5.3.1","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"2818b178409ffd99d2fd84e4fb8fa625dce30e7cc96107aea166efa5d96500e3"}}');
INSERT INTO "lease" VALUES (1, 541815685683, 'fcfc9e5de3874efe', '6cb55b746df54ba5', 'held', 'started', 0, 0, 1795939360719, 5, 1795939347040, 0, '', 0, 1795939367040, 0);
INSERT INTO "inbox" VALUES (1, 'cancel', '6cb55b746df54ba5', '{}');
INSERT INTO "_cf_METADATA" VALUES (1, 1795939367040000000);
