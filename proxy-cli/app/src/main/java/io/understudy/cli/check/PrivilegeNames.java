package io.understudy.cli.check;

import io.understudy.config.Address;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server's product, as far as the names of privileges differ. */
enum PrivilegeNames {
    MYSQL,
    /** Before 10.5. */
    MARIADB,
    /** With REPLICA MONITOR. */
    MARIADB_10_5,
    /** With SHOW CREATE ROUTINE too. */
    MARIADB_11_3,
    /** It could not be asked. */
    UNKNOWN;

    private static final Pattern NUMBERS = Pattern.compile("(?:5\\.5\\.5-)?(\\d+)\\.(\\d+).*");

    /** Returns the product from the server's handshake packet, which needs no account. */
    static PrivilegeNames of(Address address) {
        if (address.isUnix()) {
            return UNKNOWN;
        }
        try {
            return ofVersion(ServerTls.handshakeV10(address).serverVersion());
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    static PrivilegeNames ofVersion(String version) {
        Matcher numbers = NUMBERS.matcher(version);
        if (!numbers.matches()) {
            return UNKNOWN;
        }
        if (!version.contains("MariaDB")) {
            return MYSQL;
        }
        int number = Integer.parseInt(numbers.group(1)) * 100 + Integer.parseInt(numbers.group(2));
        return number >= 1103 ? MARIADB_11_3 : number >= 1005 ? MARIADB_10_5 : MARIADB;
    }

    boolean isMariaDb() {
        return this == MARIADB || this == MARIADB_10_5 || this == MARIADB_11_3;
    }
}
