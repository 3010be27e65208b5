package io.understudy.connection;

import io.understudy.base.Secret;

/** The name and the password that one connection logs in with; a reload may give the next one others. */
public record Credentials(String user, Secret password) {}
