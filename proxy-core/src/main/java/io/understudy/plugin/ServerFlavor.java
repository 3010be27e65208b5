package io.understudy.plugin;

/** Which product answers. */
public enum ServerFlavor {
    MARIADB,
    MYSQL
}
