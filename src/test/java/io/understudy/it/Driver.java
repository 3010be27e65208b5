package io.understudy.it;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** The two drivers and their names for the same options. */
enum Driver {
    MARIADB("jdbc:mariadb") {
        @Override
        void defaults(Properties properties) {
            properties.setProperty("sslMode", "disable");
            properties.setProperty("allowLocalInfile", "true");
            properties.setProperty("allowPublicKeyRetrieval", "true");
        }
    },
    MYSQL("jdbc:mysql") {
        @Override
        void defaults(Properties properties) {
            properties.setProperty("sslMode", "DISABLED");
            properties.setProperty("allowPublicKeyRetrieval", "true");
            properties.setProperty("allowLoadLocalInfile", "true");
        }
    };

    private final String scheme;

    Driver(String scheme) {
        this.scheme = scheme;
    }

    abstract void defaults(Properties properties);

    /** @param options {@code name=value} pairs joined by {@code &}; may be empty */
    Connection connect(InetSocketAddress address, String user, String password, String options) throws SQLException {
        Properties properties = new Properties();
        defaults(properties);
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("connectTimeout", "20000");
        properties.setProperty("socketTimeout", "60000");
        for (String option : options.split("&")) {
            if (!option.isEmpty()) {
                int equals = option.indexOf('=');
                properties.setProperty(option.substring(0, equals), option.substring(equals + 1));
            }
        }
        return DriverManager.getConnection(
                scheme + "://127.0.0.1:" + address.getPort() + "/" + ServerUnderTest.SCHEMA, properties);
    }
}
