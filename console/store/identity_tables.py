"""The tables of sign-in through an identity provider; declared with the others in `tables`."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel


class Identity(SQLModel, table=True):
    """A person as an identity provider knows them: by issuer and subject, never by a name."""

    issuer: str = Field(primary_key=True)
    subject: str = Field(primary_key=True)
    user_id: str = Field(foreign_key="user.id", index=True)
    created_at: datetime


class SignOnUsed(SQLModel, table=True):
    """An answer of the provider that has signed somebody in, so that it cannot do so again."""

    __tablename__ = "sign_on_used"
    digest: str = Field(primary_key=True)
    at: datetime = Field(index=True)
