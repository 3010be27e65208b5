package io.understudy.cli.check;

import java.sql.SQLException;

/** What tells one server from another. */
final class Identity {
    private Identity() {}

    /** MySQL has a UUID; MariaDB's server id and host and port and start are as good as one. */
    static String of(Question ask) throws SQLException {
        String uuid = ask.variable("server_uuid");
        if (uuid != null && !uuid.isEmpty()) {
            return uuid;
        }
        return ask.variable("server_id") + "/" + ask.variable("hostname") + "/" + ask.variable("port") + "/"
                + ask.variable("datadir");
    }
}
