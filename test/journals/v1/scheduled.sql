-- do/holdfast-SessionObject/e77928f81f716c4a075b2c7cc20a2dcdddbe15349b9a3f70fc4dbdd50146eedb.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","scheduled","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290643, 'session-opened', '', 84, '{"v":1,"type":"session-opened","incarnation":"8ee9d5e7849046d3","agent":"scheduled"}');
INSERT INTO "events" VALUES (2, 0, 1795934290643, 'turn-started', '3bed220364d14492', 137, '{"v":1,"type":"turn-started","turn":"3bed220364d14492","loopId":"3bed220364d14492","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 683580427925, 1795934294287, 'model-replied', '3bed220364d14492', 219, '{"v":1,"type":"model-replied","turn":"3bed220364d14492","model":"scripted","text":"Gone.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 683580427925, 1795934294287, 'turn-ended', '3bed220364d14492', 75, '{"v":1,"type":"turn-ended","turn":"3bed220364d14492","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 683580427925, '15df71172e024732', NULL, 'free', 'started', 0, 0, 1795934294288, 4, 1795934290643, 0, '', 0);
INSERT INTO "inbox" VALUES (1, 'scheduled', '879cc4748a9e4eb8', '{"v":1,"type":"turn-started","turn":"879cc4748a9e4eb8","loopId":"879cc4748a9e4eb8","message":"In an hour.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "inbox" VALUES (2, 'scheduled', '727f0c37c2a04c52', '{"v":1,"type":"turn-started","turn":"727f0c37c2a04c52","loopId":"727f0c37c2a04c52","message":"In a year.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "agenda" VALUES ('start', '727f0c37c2a04c52', 1827038296496);
INSERT INTO "agenda" VALUES ('start', '879cc4748a9e4eb8', 1795937895583);
INSERT INTO "_cf_METADATA" VALUES (1, 1795937895583000000);
