package io.understudy.plugin;

import java.util.Locale;

/** The product that a server runs. */
public enum ServerFlavor {
    MARIADB,
    MYSQL;

    /** Returns the product by the value of {@code VERSION()}; MySQL, as Percona Server, if it does not say MariaDB. */
    public static ServerFlavor of(String version) {
        return version.toLowerCase(Locale.ROOT).contains("mariadb") ? MARIADB : MYSQL;
    }
}
