"""The default is no, and the table is the contract's."""

from __future__ import annotations

import pytest

from console.domain.access import GRANTS, Actor, Permission, Role, allows, require, rule
from console.domain.errors import Forbidden

CONTRACT = {
    Permission.SIGNED_IN: "supervisor qa admin none",
    Permission.VIEW: "supervisor qa admin",
    Permission.DECIDE: "supervisor",
    Permission.CHAT: "supervisor",
    Permission.REPLAY: "supervisor qa",
    Permission.GRADE: "qa",
    Permission.AUDIT_OWN: "supervisor qa admin",
    Permission.AUDIT_ALL: "qa admin",
    Permission.AUDIT_EXPORT: "admin",
    Permission.UNMASK: "supervisor qa admin",
    Permission.ADMINISTER: "admin",
}


def test_every_permission_stands_in_the_table_and_has_its_rule() -> None:
    assert set(GRANTS) == set(CONTRACT) == set(Permission)
    assert all(rule(each) for each in Permission)


@pytest.mark.parametrize("permission", list(Permission))
@pytest.mark.parametrize("role", list(Role))
def test_a_role_may_what_the_contract_says_and_nothing_else(role: Role, permission: Permission) -> None:
    actor = Actor("id", "name", role)
    if role in CONTRACT[permission].split():
        assert allows(role, permission)
        require(actor, permission)
    else:
        assert not allows(role, permission)
        with pytest.raises(Forbidden) as refused:
            require(actor, permission)
        assert refused.value.permission == permission
        assert refused.value.detail.startswith(rule(permission))
