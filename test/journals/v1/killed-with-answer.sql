-- do/holdfast-SessionObject/60ebebafe95f8c884a88af3349abcfbd05d93fe72e1bbe75a0fe5ad74cf7aacb.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","killed-with-answer","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346789, 'session-opened', '', 93, NULL, '{"v":1,"type":"session-opened","incarnation":"8da8387587b342be","agent":"killed-with-answer"}');
INSERT INTO "events" VALUES (2, 0, 1795939346789, 'turn-started', '6e09354be8ab446b', 137, NULL, '{"v":1,"type":"turn-started","turn":"6e09354be8ab446b","loopId":"6e09354be8ab446b","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 488248139243, 1795939347369, 'model-replied tool-call-started', '6e09354be8ab446b', 492, '386 106', '{"v":1,"type":"model-replied","turn":"6e09354be8ab446b","model":"scripted","text":"","toolCalls":[{"id":"6e09354be8ab446b.3.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"6e09354be8ab446b.3.1","providerId":"call_0_1","name":"refund","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1y3kbgt"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"6e09354be8ab446b","call":"6e09354be8ab446b.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 488248139243, 1795939347394, 'tool-call-suspended', '6e09354be8ab446b', 325, NULL, '{"v":1,"type":"tool-call-suspended","turn":"6e09354be8ab446b","call":"6e09354be8ab446b.3.1","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"2818b178409ffd99d2fd84e4fb8fa625dce30e7cc96107aea166efa5d96500e3"}}');
INSERT INTO "lease" VALUES (1, 488248139243, 'ba134f199eb24f68', '6e09354be8ab446b', 'held', 'started', 0, 0, 1795939360718, 5, 1795939347040, 0, '', 0, 1795939367040, 0);
INSERT INTO "requests" VALUES ('answer 6e09354be8ab446b.3.1#0', '3951f4bc66be45be', '6e09354be8ab446b', 0, 1796544164093);
INSERT INTO "inbox" VALUES (1, 'answer', '6e09354be8ab446b', '{"wait":"6e09354be8ab446b.3.1#0","answer":{"type":"decision","decision":"approve","by":"ada"}}');
INSERT INTO "_cf_METADATA" VALUES (1, 1795939367040000000);
