-- do/holdfast-SessionObject/1d1e377a8b6ec1b17616fecec251b473c68bdb45ba7f34deb60eec82271cb18d.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 1);
INSERT INTO "schema" VALUES (1, '["ada","killed-with-cancel","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290670, 'session-opened', '', 93, '{"v":1,"type":"session-opened","incarnation":"6f319f953d5a4d44","agent":"killed-with-cancel"}');
INSERT INTO "events" VALUES (2, 0, 1795934290670, 'turn-started', 'a55587ec7ef649ca', 137, '{"v":1,"type":"turn-started","turn":"a55587ec7ef649ca","loopId":"a55587ec7ef649ca","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 424492431028, 1795934295296, 'model-replied', 'a55587ec7ef649ca', 386, '{"v":1,"type":"model-replied","turn":"a55587ec7ef649ca","model":"scripted","text":"","toolCalls":[{"id":"a55587ec7ef649ca.3.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"a55587ec7ef649ca.3.1","providerId":"call_0_1","name":"refund","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1y3kbgt"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 424492431028, 1795934295296, 'tool-call-started', 'a55587ec7ef649ca', 106, '{"v":1,"type":"tool-call-started","turn":"a55587ec7ef649ca","call":"a55587ec7ef649ca.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 424492431028, 1795934295452, 'tool-call-suspended', 'a55587ec7ef649ca', 325, '{"v":1,"type":"tool-call-suspended","turn":"a55587ec7ef649ca","call":"a55587ec7ef649ca.3.1","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"2818b178409ffd99d2fd84e4fb8fa625dce30e7cc96107aea166efa5d96500e3"}}');
INSERT INTO "lease" VALUES (1, 424492431028, '6b462f880914446f', 'a55587ec7ef649ca', 'held', 'started', 0, 0, 1795934308741, 5, 1795934292851, 0, '', 0);
INSERT INTO "inbox" VALUES (1, 'cancel', 'a55587ec7ef649ca', '{}');
INSERT INTO "agenda" VALUES ('turn', 'a55587ec7ef649ca', 1795934328741);
INSERT INTO "_cf_METADATA" VALUES (1, 1795934328741000000);
