package io.understudy.plugin;

/** The product that a server runs. */
public enum ServerFlavor {
    MARIADB,
    MYSQL
}
